{column} in ({numbers})
