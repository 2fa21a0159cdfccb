delete from records where id in (select x.value from {part_words})
