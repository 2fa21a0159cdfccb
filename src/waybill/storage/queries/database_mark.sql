select id from database_mark
