#pragma once

// feast_spark.api.JobService. Internal to api/grpc.

#include "feast_spark/api/job_service.grpc.pb.h"

namespace waybill::rpc {

class Core;

// Answers for the runs there were; it starts and ends none. Any thread of gRPC. `core` outlives it.
class JobService final : public feast_spark::api::JobService::CallbackService {
 public:
  explicit JobService(Core& core) : core_(core) {}

  // NOLINTBEGIN(readability-identifier-naming): gRPC's names
  ::grpc::ServerUnaryReactor* ListBatchJobRecords(
      ::grpc::CallbackServerContext* context, const feast_spark::api::ListBatchJobRecordsRequest* request,
      feast_spark::api::ListBatchJobRecordsResponse* response) override;

#define WB_NO_JOBS(Method)                                                           \
  ::grpc::ServerUnaryReactor* Method(::grpc::CallbackServerContext* context,         \
                                     const feast_spark::api::Method##Request*,       \
                                     feast_spark::api::Method##Response*) override { \
    return refuse(context, #Method);                                                 \
  }
  WB_NO_JOBS(StartOfflineToOnlineIngestionJob)
  WB_NO_JOBS(StartStreamIngestionJob)
  WB_NO_JOBS(ScheduleOfflineToOnlineIngestionJob)
  WB_NO_JOBS(UnscheduleOfflineToOnlineIngestionJob)
  WB_NO_JOBS(GetHistoricalFeatures)
  WB_NO_JOBS(ListJobs)
  WB_NO_JOBS(ListScheduledJobs)
  WB_NO_JOBS(GetJob)
  WB_NO_JOBS(CancelJob)
  WB_NO_JOBS(UnscheduleJob)
  WB_NO_JOBS(GetHealthMetrics)
#undef WB_NO_JOBS
  // NOLINTEND(readability-identifier-naming)

 private:
  static ::grpc::ServerUnaryReactor* refuse(::grpc::CallbackServerContext* context, const char* method);

  Core& core_;
};

}  // namespace waybill::rpc
