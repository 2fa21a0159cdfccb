delete from catalog_overrides where kind = :kind and id = :id returning id
