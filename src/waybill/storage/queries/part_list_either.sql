({one} or {other})
