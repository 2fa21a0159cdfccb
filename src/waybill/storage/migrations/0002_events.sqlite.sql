-- Transitions of jobs and records in one order, that of the rows: there is one writer.
create table events (
  position integer primary key autoincrement,
  type text not null,
  subject text not null,
  at integer not null,
  body text not null
) strict;
create index events_by_subject on events (subject, position);

-- The last position that retention removed.
create table event_horizon (position integer not null) strict;
insert into event_horizon values (0);
