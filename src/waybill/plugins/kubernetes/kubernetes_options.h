#pragma once

#include <absl/time/time.h>

#include <filesystem>

#include "waybill/ports/executor.h"

namespace waybill::plugins {

struct KubernetesOptions {
  std::filesystem::path jobs_directory;
  ports::RunLimits limits;
  absl::Duration start_patience = absl::Seconds(60);  // with an API server that does not answer
  absl::Duration log_patience = absl::Minutes(1);     // with a log that does not come after the end
  absl::Duration straggler_patience =
      absl::Seconds(10);                        // a pod may still come so long after its object went
  absl::Duration pod_grace = absl::Seconds(5);  // then a pod that outlives its object is deleted
  int most_logs = 256;                          // that are streamed at the same time
};

}  // namespace waybill::plugins
