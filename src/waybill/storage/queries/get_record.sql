select {part_record_columns} from records r where r.id = :id
