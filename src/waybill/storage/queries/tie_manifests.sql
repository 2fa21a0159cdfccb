-- Not loose after all: another record has the same.
update record_manifests as m set loose_since = null from {part_words}
where m.hash = x.value and exists (select 1 from records r where r.manifest = m.hash and r.manifest <> '')
