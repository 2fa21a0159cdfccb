-- Manifests, as a table x.
(select json_extract(value, '$.hash') as hash, json_extract(value, '$.body') as body
from json_each(:rows)) x
