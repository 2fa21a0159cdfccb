-- The rows keep the order of the stream, which is read lazily: an ORDER BY here would read all of it first.
select {part_record_columns}, s.k from ({stream}) s cross join records r
where r.id = s.id {where} limit {rows}
