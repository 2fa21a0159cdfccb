-- Events, one at a time, as a table x.
(select :n as n, :subject as subject, :body as body) x
