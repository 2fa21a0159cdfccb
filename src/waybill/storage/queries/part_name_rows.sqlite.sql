-- Names of objects, as a table x.
(select json_extract(value, '$.namespace') as namespace, json_extract(value, '$.name') as name
from json_each(:rows)) x
