-- A list of texts, as a table x.
json_array_elements_text(cast(:words as json)) as x (value)
