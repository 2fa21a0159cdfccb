#pragma once

#include "waybill/ports/record_reader.h"
#include "waybill/storage/queries.h"
#include "waybill/storage/reader.h"

namespace waybill::storage {

// The run history in a database, to read. Calls may come from any thread.
class SqlRecordReader : public ports::RecordReader {
 public:
  SqlRecordReader(Reader& reader, const Queries& queries) : reader_(reader), queries_(queries) {}

  Task<absl::StatusOr<domain::Record>> get(RecordId id) override;
  Task<absl::StatusOr<ports::RecordPage>> list(ports::RecordFilter filter,
                                               ports::RecordPageRequest page) override;
  Task<absl::StatusOr<std::map<std::string, boost::json::value>>> manifests(
      std::vector<std::string> hashes) override;
  Task<absl::StatusOr<bool>> knows_table(std::string project, std::string table) override;
  Task<absl::StatusOr<std::vector<RecordId>>> of_job(JobId job) override;
  Task<absl::StatusOr<std::vector<ports::RecordStatsBucket>>> record_stats(
      ports::RecordStatsRequest request) override;

 private:
  Reader& reader_;
  const Queries& queries_;
};

}  // namespace waybill::storage
