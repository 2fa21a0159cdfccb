records r
