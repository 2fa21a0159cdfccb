select f.k, f.id from (select {key} as k, {id} as id from {table} where {driver} {bounds} limit {most}) f
where true {after} {order} limit {most}
