#pragma once

// What ListBatchJobRecords does, without the wire. Internal to api/grpc.

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <cstddef>
#include <functional>
#include <string>

#include "feast_spark/api/job_service.pb.h"
#include "waybill/base/pool.h"
#include "waybill/base/task.h"
#include "waybill/ports/record_reader.h"

namespace waybill::rpc {

struct RecordsOf {
  ports::RecordReader& records;
  Pool& pool;                      // where manifests are written as YAML
  absl::Time now;                  // what an absent `start` is counted from
  std::function<bool()> given_up;  // whether nobody waits for the answer any more
};

// Fills the response and answers how many manifests had to be left out so that it stays below 4 MiB, the most
// that a gRPC client takes by default. Request and response must live until then. InvalidArgument names the
// field and its value; NotFound: no such table; ResourceExhausted: the rows alone are too large, and
// page_size would help; Cancelled: given up.
[[nodiscard]] Task<absl::StatusOr<std::size_t>> list_batch_job_records(
    RecordsOf from, const feast_spark::api::ListBatchJobRecordsRequest* request,
    feast_spark::api::ListBatchJobRecordsResponse* response);

// The filter and the page that a request means.
struct RecordsQuery {
  ports::RecordFilter filter;
  ports::RecordPageRequest page;
  bool all = false;  // no page_size: every row, in as many pages as it takes
};
[[nodiscard]] absl::StatusOr<RecordsQuery> read_request(
    const feast_spark::api::ListBatchJobRecordsRequest& request, absl::Time now);

// A record without its manifest.
void fill(const domain::Record& record, feast_spark::api::BatchJobRecord& out);

}  // namespace waybill::rpc
