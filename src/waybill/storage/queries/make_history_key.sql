insert into history_key (one, key) values (1, :key) on conflict (one) do nothing
