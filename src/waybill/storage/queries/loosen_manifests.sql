update record_manifests as m set loose_since = waybill_now() from {part_words} where m.hash = x.value
