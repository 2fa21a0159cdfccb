{column} >= :{value}_low and {column} < :{value}_high
