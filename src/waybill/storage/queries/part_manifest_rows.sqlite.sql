-- Manifests, one at a time, as a table x.
(select :hash as hash, :body as body) x
