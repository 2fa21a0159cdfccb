listen waybill
