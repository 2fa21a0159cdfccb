(strpos(lower(j.name), :{value}) > 0 or strpos(lower(j.tags), :{value}) > 0 or strpos(j.id, :{value}) > 0)
