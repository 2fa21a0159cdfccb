-- Manifests, as a table x.
json_to_recordset(cast(:rows as json)) as x (hash text, body text)
