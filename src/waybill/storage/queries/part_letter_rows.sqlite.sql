-- Dead letters, as a table x.
(select json_extract(value, '$.subject') as subject, json_extract(value, '$.scope') as scope,
  json_extract(value, '$.namespace') as namespace, json_extract(value, '$.name') as name,
  json_extract(value, '$.rv') as rv, json_extract(value, '$.size') as size,
  json_extract(value, '$.reason') as reason
from json_each(:rows)) x
