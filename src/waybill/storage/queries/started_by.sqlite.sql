-- A label alone proves nothing: the handle, which only the executor writes, must name the object.
select x.uid, j.id from {part_claim_rows} join jobs j on j.id = x.job
where x.uid <> '' and (instr(j.handle, x.uid) > 0
  or exists (select 1 from job_attempts a where a.job_id = j.id and instr(a.handle, x.uid) > 0))
