{column} <> :{value}
