{column} in ({values})
