-- What labels say of who started objects, as a table x.
json_to_recordset(cast(:rows as json)) as x (uid text, job text)
