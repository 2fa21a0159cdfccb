-- insert_tag for many.
insert into job_tags (tag, job_id) select * from unnest(cast(:tag as text[]), cast(:id as text[]))
