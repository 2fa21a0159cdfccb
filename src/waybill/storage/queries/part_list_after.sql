and ({key}, {id}) {less} (:after_key, :after_id)
