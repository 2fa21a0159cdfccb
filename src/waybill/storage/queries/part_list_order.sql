order by {key} {direction}, {id} {direction}
