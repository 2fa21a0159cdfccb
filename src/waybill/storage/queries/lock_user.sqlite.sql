-- There is one writer.
select :username
