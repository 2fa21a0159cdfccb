{column} = :{value}
