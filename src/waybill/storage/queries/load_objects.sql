-- A cross join keeps SQLite from reading all objects of the cluster.
select {part_object_columns} from {part_words} cross join objects o where o.cluster = :cluster and o.uid = x.value
