-- A list of texts, as a table x.
json_each(:words) x
