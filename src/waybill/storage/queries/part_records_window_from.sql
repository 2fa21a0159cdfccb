(r.window_to is null or r.window_to > :{value})
