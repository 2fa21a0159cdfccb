-- The rows keep the order of the stream, which is read lazily: an ORDER BY here would read all of it first.
select {part_job_columns}, s.k from ({stream}) s cross join jobs j
where j.id = s.id {where} limit {rows}
