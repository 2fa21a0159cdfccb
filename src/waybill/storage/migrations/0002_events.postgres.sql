-- Transitions of jobs and records in one order. A position is the transaction's number, shifted, plus the row's
-- number within it: readers stop below the oldest transaction that is still open, so that none is overtaken.
create table events (
  position bigint primary key,
  type text collate "C" not null,
  subject text collate "C" not null,
  at bigint not null,
  body text collate "C" not null
);
create index events_by_subject on events (subject, position);

-- The last position that retention removed.
create table event_horizon (position bigint not null);
insert into event_horizon values (0);
