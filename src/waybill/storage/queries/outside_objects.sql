select {part_object_columns} from objects o
where o.cluster = :cluster and o.scope = :scope and o.outside = 1 and o.gone = 0 and o.uid > :after
order by o.uid limit :most
