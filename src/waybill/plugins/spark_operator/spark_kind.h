#pragma once

#include <string>
#include <string_view>

#include "waybill/plugins/kubernetes/run_kind.h"

namespace waybill::plugins {

// Whose context keys count.
enum class SparkKeys {
  kOwn,      // plugin spark_operator
  kSparkEks  // plugin sparkeks: those of Heimdall's plugin of that name
};

[[nodiscard]] ports::ExecutorTraits spark_traits(SparkKeys keys);

// A job as a SparkApplication (sparkoperator.k8s.io/v1beta2) of the Spark operator.
class SparkKind : public RunKind {
 public:
  explicit SparkKind(SparkKeys keys) : keys_(keys) {}

  [[nodiscard]] ports::ExecutorTraits traits() const override { return spark_traits(keys_); }
  [[nodiscard]] kube::Resource resource() const override;
  [[nodiscard]] std::string word() const override { return "SparkApplication"; }
  [[nodiscard]] std::string prefix() const override { return "spark-job-"; }
  [[nodiscard]] std::string main_container() const override { return "spark-kubernetes-driver"; }
  [[nodiscard]] absl::StatusOr<std::string> template_file(const ports::JobRequest& request) const override;
  [[nodiscard]] absl::StatusOr<RunObjects> build(const ports::JobRequest& request,
                                                 boost::json::object from) const override;
  [[nodiscard]] boost::json::object kept(const boost::json::object& object) const override;
  [[nodiscard]] RunSight sight(const std::string& name, const boost::json::object& kept) const override;
  [[nodiscard]] std::string pod_selector(const std::string& name) const override;
  [[nodiscard]] std::string helper_selector(const std::string& name) const override;
  [[nodiscard]] ports::Observation failure(const RunSight& sight, const PodSight& pod) const override;

 private:
  SparkKeys keys_;
};

// What went wrong in the words of spark-submit: the operator's message holds all that it wrote, most of it a
// stack trace. "" : the message tells of no failed submission.
[[nodiscard]] std::string submission_failure(const std::string& message);

}  // namespace waybill::plugins
