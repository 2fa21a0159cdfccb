-- Objects, as a table x.
json_to_recordset(cast(:rows as json)) as x (cluster text, uid text)
