select pg_notify('waybill', payload) from unnest(cast(:payloads as text[])) as n (payload)
