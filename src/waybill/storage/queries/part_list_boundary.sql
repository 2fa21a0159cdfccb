-- Where the reading stopped, if it did before the end.
select k, id from (select s.k, s.id, row_number() over ({stream_order}) as n from ({stream}) s) c where n = {most}
