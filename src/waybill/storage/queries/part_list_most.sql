{column} <= :{value}
