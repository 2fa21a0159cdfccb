-- Who changed what, or was refused.
create table audit_log (
  id bigint generated always as identity primary key,
  at bigint not null,
  who text not null,
  what text not null,
  origin text not null,
  outcome text not null
);
create index audit_log_by_time on audit_log (at);
