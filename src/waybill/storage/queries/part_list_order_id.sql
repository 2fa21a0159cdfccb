order by {id} {direction}
