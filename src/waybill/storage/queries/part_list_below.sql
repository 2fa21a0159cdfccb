{column} < :{value}
