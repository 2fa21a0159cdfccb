#pragma once

#include <string>

#include "waybill/plugins/kubernetes/run_kind.h"

namespace waybill::plugins {

[[nodiscard]] ports::ExecutorTraits kubernetes_job_traits();

// A job as a Job of the cluster (batch/v1).
class JobKind : public RunKind {
 public:
  [[nodiscard]] ports::ExecutorTraits traits() const override { return kubernetes_job_traits(); }
  [[nodiscard]] kube::Resource resource() const override { return {"batch", "v1", "jobs"}; }
  [[nodiscard]] std::string word() const override { return "Job"; }
  [[nodiscard]] std::string prefix() const override { return "job-"; }
  [[nodiscard]] std::string main_container() const override { return ""; }  // the first
  [[nodiscard]] absl::StatusOr<std::string> template_file(const ports::JobRequest& request) const override;
  [[nodiscard]] absl::StatusOr<RunObjects> build(const ports::JobRequest& request,
                                                 boost::json::object from) const override;
  [[nodiscard]] boost::json::object kept(const boost::json::object& object) const override;
  [[nodiscard]] RunSight sight(const std::string& name, const boost::json::object& kept) const override;
  [[nodiscard]] std::string pod_selector(const std::string& name) const override {
    return "job-name=" + name;
  }
  [[nodiscard]] std::string helper_selector(const std::string& /*name*/) const override { return ""; }
  [[nodiscard]] ports::Observation failure(const RunSight& sight, const PodSight& pod) const override;
};

}  // namespace waybill::plugins
