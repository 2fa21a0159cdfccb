-- The objects of a batch, as a table x.
(select json_extract(value, '$.uid') as uid, json_extract(value, '$.namespace') as namespace,
  json_extract(value, '$.name') as name, json_extract(value, '$.scope') as scope,
  json_extract(value, '$.rv') as rv, json_extract(value, '$.record_id') as record_id,
  json_extract(value, '$.spec_hash') as spec_hash, json_extract(value, '$.submission_id') as submission_id,
  json_extract(value, '$.attempt_time') as attempt_time, json_extract(value, '$.run_number') as run_number,
  json_extract(value, '$.gone') as gone, json_extract(value, '$.outside') as outside,
  json_extract(value, '$.seen_at') as seen_at, json_extract(value, '$.decided_on') as decided_on
from json_each(:rows)) x
