-- Names of objects, as a table x.
json_to_recordset(cast(:rows as json)) as x (namespace text, name text)
