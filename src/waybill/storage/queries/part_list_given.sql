{column} <> ''
