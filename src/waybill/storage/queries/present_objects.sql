select {part_object_columns} from objects o
where o.cluster = :cluster and o.scope = :scope and o.gone = 0 and o.uid > :after and o.rv <= :version
order by o.uid limit :most
