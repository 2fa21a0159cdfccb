-- The directories that a server works with, as a JSON list: all servers of a database must mean the same ones.
alter table instances add column directories text not null default '[]';

-- This database's own id, one row. Directories of files carry it, so that none is used with another database.
create table database_mark (id text primary key) strict;
insert into database_mark
select substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-' || substr(h, 13, 4) || '-' || substr(h, 17, 4) || '-' ||
  substr(h, 21) from (select lower(hex(randomblob(16))) as h);
