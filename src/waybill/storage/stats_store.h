#pragma once

#include "waybill/ports/stats_store.h"
#include "waybill/storage/reader.h"

namespace waybill::storage {

class SqlStatsStore : public ports::StatsStore {
 public:
  explicit SqlStatsStore(Reader& reader) : reader_(reader) {}

  Task<absl::StatusOr<std::vector<ports::StatsBucket>>> job_stats(ports::JobStatsRequest request) override;
  Task<absl::StatusOr<std::map<domain::JobStatus, std::int64_t>>> live_jobs() override;

 private:
  Reader& reader_;
};

}  // namespace waybill::storage
