#include "waybill/api/grpc/job_service.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "waybill/api/grpc/call.h"
#include "waybill/api/grpc/records.h"
#include "waybill/base/status.h"

namespace waybill::rpc {
namespace {

constexpr char kTruncated[] = "waybill-truncated-manifests";

Task<absl::Status> list_records(RecordsOf from, const feast_spark::api::ListBatchJobRecordsRequest* request,
                                feast_spark::api::ListBatchJobRecordsResponse* response,
                                std::shared_ptr<Call> call) {
  absl::StatusOr<std::size_t> left_out = co_await list_batch_job_records(std::move(from), request, response);
  WB_CO_TRY(left_out);
  if (*left_out > 0) call->add_trailer(kTruncated, std::to_string(*left_out));
  co_return absl::OkStatus();
}

}  // namespace

::grpc::ServerUnaryReactor* JobService::ListBatchJobRecords(
    ::grpc::CallbackServerContext* context, const feast_spark::api::ListBatchJobRecordsRequest* request,
    feast_spark::api::ListBatchJobRecordsResponse* response) {
  return core_.answer(context, "JobService.ListBatchJobRecords", Access::kRead,
                      [&core = core_, request, response](std::shared_ptr<Call> call) {
                        RecordsOf from{.records = core.services.records,
                                       .pool = core.services.pool,
                                       .now = core.services.clock.now(),
                                       .given_up = [call] { return call->cancelled(); }};
                        return list_records(std::move(from), request, response, std::move(call));
                      });
}

::grpc::ServerUnaryReactor* JobService::refuse(::grpc::CallbackServerContext* context, const char* method) {
  return Core::refuse(context, fmt::format("JobService.{}", method),
                      "this server keeps the history of runs (ListBatchJobRecords) and starts none");
}

}  // namespace waybill::rpc
