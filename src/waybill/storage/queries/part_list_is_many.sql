-- A row if the driver finds more than {most} rows.
select n from (select row_number() over () as n from {table} where {driver} {bounds} limit {most}) c where n = {most}
