-- Nothing if another instance was first.
update jobs as j set {part_claimed}
where id = :id and status = 1
returning {part_returned_columns}
