{column} >= :{value}
