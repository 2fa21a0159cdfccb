select {part_object_columns} from {part_words} join objects o on o.cluster = :cluster and o.uid = x.value
