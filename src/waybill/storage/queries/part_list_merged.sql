select s.k, s.id from ({streams}) s {stream_order} limit {most}
