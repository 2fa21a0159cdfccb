insert into audit_log (at, who, what, origin, outcome) values (waybill_now(), :who, :what, :origin, :outcome)
