(r.window_from is not null or r.window_to is not null)
