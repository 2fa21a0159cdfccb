insert into events (type, subject, at, body) values (:type, :subject, waybill_now(), :body)
