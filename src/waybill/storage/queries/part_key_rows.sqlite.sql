-- Objects, as a table x.
(select json_extract(value, '$.cluster') as cluster, json_extract(value, '$.uid') as uid
from json_each(:rows)) x
