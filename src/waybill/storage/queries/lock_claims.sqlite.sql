-- There is one writer.
select 1
