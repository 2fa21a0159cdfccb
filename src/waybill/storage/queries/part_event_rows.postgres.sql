-- Events, as a table x.
json_to_recordset(cast(:rows as json)) as x (n bigint, subject text, body text)
