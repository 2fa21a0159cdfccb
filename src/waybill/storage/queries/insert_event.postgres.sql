-- :n numbers the rows of this transaction.
insert into events (position, type, subject, at, body)
values ((cast(cast(pg_current_xact_id() as text) as bigint) << 20) + cast(:n as bigint), :type, :subject, waybill_now(), :body)
