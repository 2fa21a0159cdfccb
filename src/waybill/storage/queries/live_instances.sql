select id, host, roles, version, directories from instances
where heartbeat_at >= waybill_now() - cast(:lease_us as bigint) order by id
