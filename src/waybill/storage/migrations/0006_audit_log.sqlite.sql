-- Who changed what, or was refused.
create table audit_log (
  id integer primary key autoincrement,
  at integer not null,
  who text not null,
  what text not null,
  origin text not null,
  outcome text not null
) strict;
create index audit_log_by_time on audit_log (at);
