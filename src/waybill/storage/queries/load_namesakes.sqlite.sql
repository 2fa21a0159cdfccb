-- Left to itself, SQLite takes the primary key and reads all objects of the cluster for each name.
select {part_object_columns} from {part_name_rows} cross join objects o indexed by objects_by_name
where o.cluster = :cluster and o.namespace = x.namespace and o.name = x.name and o.gone = 0
