-- Events, as a table x.
(select json_extract(value, '$.n') as n, json_extract(value, '$.subject') as subject,
  json_extract(value, '$.body') as body
from json_each(:rows)) x
