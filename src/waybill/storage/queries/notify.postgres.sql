select pg_notify('waybill', :payload)
