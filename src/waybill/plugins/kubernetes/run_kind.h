#pragma once

#include <absl/status/statusor.h>

#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "waybill/domain/job.h"
#include "waybill/kube/resource.h"
#include "waybill/plugins/kubernetes/pod_sight.h"
#include "waybill/ports/executor.h"

namespace waybill::plugins {

// On every object that a job of a gateway became; its value is the job's id.
inline constexpr char kJobLabel[] = "waybill.dev/job-id";
// What the run history names the record by: "<job id>-<attempt>".
inline constexpr char kRecordLabel[] = "caraml.dev/record-id";
// A member of what is kept of an object that is not to be removed after its end: its template says how long
// it stays.
inline constexpr char kStays[] = "stays";

// What a job becomes on the cluster.
struct RunObjects {
  boost::json::object object;                 // named and labelled by whoever creates it
  std::string name_space;                     // "" : the access's own
  std::optional<boost::json::object> secret;  // string data that goes with it; named as the object
};

// An object as it is now.
struct RunSight {
  enum class Stage { kPending, kRunning, kSucceeded, kFailed };
  Stage stage = Stage::kPending;
  std::string note;       // what a user should know while it is so: one sentence; "" : nothing
  std::string error;      // in the words of whoever runs it
  std::string pod;        // that does the work; "" : not known
  bool has_pods = false;  // there are some, but the object does not name them
  domain::Outputs outputs;
};

// What differs between the kinds of object that a job can become. Pure, but for the templates that are given
// to it.
class RunKind {
 public:
  virtual ~RunKind() = default;
  [[nodiscard]] virtual ports::ExecutorTraits traits() const = 0;
  [[nodiscard]] virtual kube::Resource resource() const = 0;
  [[nodiscard]] virtual std::string word() const = 0;    // "SparkApplication"
  [[nodiscard]] virtual std::string prefix() const = 0;  // of names: "spark-job-"
  [[nodiscard]] virtual std::string main_container() const = 0;
  // The path of the template that the contexts name; "" : none.
  [[nodiscard]] virtual absl::StatusOr<std::string> template_file(const ports::JobRequest& request) const = 0;
  // InvalidArgument names the key of the context, or the part of the template, that is wrong.
  [[nodiscard]] virtual absl::StatusOr<RunObjects> build(const ports::JobRequest& request,
                                                         boost::json::object from) const = 0;
  // The part of an object that sight() reads.
  [[nodiscard]] virtual boost::json::object kept(const boost::json::object& object) const = 0;
  [[nodiscard]] virtual RunSight sight(const std::string& name, const boost::json::object& kept) const = 0;
  // Selects the pod that does the work; and all pods beside it whose logs may be wanted ("" : none).
  [[nodiscard]] virtual std::string pod_selector(const std::string& name) const = 0;
  [[nodiscard]] virtual std::string helper_selector(const std::string& name) const = 0;
  // What its failure means. `pod` is what is known of the pod that did the work.
  [[nodiscard]] virtual ports::Observation failure(const RunSight& sight, const PodSight& pod) const = 0;
};

// "spark-job-<job id>"; of further attempts with "-2", ….
[[nodiscard]] std::string run_name(const RunKind& kind, const domain::Job& job);

}  // namespace waybill::plugins
