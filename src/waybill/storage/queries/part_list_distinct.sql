-- The different values of a column between two texts, by steps in its index.
with recursive v (value) as (
  select min(j.{column}) from jobs j where j.{column} >= :low and j.{column} < :high
  union all
  select (select min(j.{column}) from jobs j where j.{column} > v.value and j.{column} < :high)
  from v where v.value is not null)
select value from v where value is not null limit {most}
