#pragma once

#include <string>
#include <vector>

#include "waybill/ports/record_store.h"

namespace waybill::bench {

// Writes the same rows as the recorder wrote, batch by batch with one commit each, with nothing between them
// and the database's own client: objects, records, events and manifests. The tables are copies of ours with
// all their indexes. Answers the seconds that it took. Throws with the database's message.
double plain_postgres(const std::string& connection, const std::vector<ports::RecordBatch>& batches);
double plain_sqlite(const std::string& file, const std::vector<ports::RecordBatch>& batches);

}  // namespace waybill::bench
