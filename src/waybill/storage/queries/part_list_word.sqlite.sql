(instr(lower(j.name), :{value}) > 0 or instr(lower(j.tags), :{value}) > 0 or instr(j.id, :{value}) > 0)
