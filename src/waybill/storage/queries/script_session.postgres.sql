-- Full durability. Every query of ours has its index, and lists must be read in its order, lazily: a plan must not
-- depend on how fresh the statistics are.
set synchronous_commit = on;
set enable_seqscan = off;
set enable_bitmapscan = off;
set enable_hashjoin = off;
set enable_mergejoin = off;
set jit = off;
set timezone = 'UTC';
set lock_timeout = '30s';
set idle_in_transaction_session_timeout = '60s';
