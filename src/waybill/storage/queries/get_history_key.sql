select key from history_key
