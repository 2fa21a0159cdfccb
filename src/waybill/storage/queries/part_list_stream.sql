select {key} as k, {id} as id from {table} where {driver} {bounds} {after} {order} limit {most}
