and {id} {less} :after_id
