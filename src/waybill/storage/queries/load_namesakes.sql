select {part_object_columns} from {part_name_rows}
join objects o on o.cluster = :cluster and o.namespace = x.namespace and o.name = x.name and o.gone = 0
