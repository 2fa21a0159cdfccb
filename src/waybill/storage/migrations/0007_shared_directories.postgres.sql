-- The directories that a server works with, as a JSON list: all servers of a database must mean the same ones.
alter table instances add column directories text not null default '[]';

-- This database's own id, one row. Directories of files carry it, so that none is used with another database.
create table database_mark (id text collate "C" primary key);
insert into database_mark
select md5(random()::text || clock_timestamp()::text || pg_backend_pid()::text)::uuid::text;
