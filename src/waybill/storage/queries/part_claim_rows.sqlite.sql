-- What labels say of who started objects, as a table x.
(select json_extract(value, '$.uid') as uid, json_extract(value, '$.job') as job
from json_each(:rows)) x
