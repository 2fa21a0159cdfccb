-- Dead letters, as a table x.
json_to_recordset(cast(:rows as json)) as x (subject text, scope text, namespace text, name text, rv text, size bigint, reason text)
