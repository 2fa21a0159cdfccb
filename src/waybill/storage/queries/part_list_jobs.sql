jobs j
