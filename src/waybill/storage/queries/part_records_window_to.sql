(r.window_from is null or r.window_from < :{value})
