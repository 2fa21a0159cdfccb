-- The ids that runs got because :low's own was taken: those from `<id>.` on.
select id from records where id >= :low and id < :high
