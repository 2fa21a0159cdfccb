select {part_object_columns} from {part_name_rows} cross join objects o
where o.cluster = :cluster and o.namespace = x.namespace and o.name = x.name and o.gone = 0
