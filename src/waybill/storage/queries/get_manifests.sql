select m.hash, m.body from {part_words} join record_manifests m on m.hash = x.value
