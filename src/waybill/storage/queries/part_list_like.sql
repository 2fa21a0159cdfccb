{column} like :{value} escape '\'
