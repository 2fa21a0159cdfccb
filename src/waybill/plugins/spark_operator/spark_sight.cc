#include <fmt/format.h>

#include <boost/json.hpp>
#include <sstream>
#include <utility>

#include "waybill/kube/json_access.h"
#include "waybill/plugins/spark_operator/spark_kind.h"

// What the operator's status says. Facts about its words: docs/history.md and its sources.
namespace waybill::plugins {
namespace json = boost::json;
namespace {

constexpr std::size_t kErrorBytes = 4096;
constexpr int kCauseLines = 10;

void add(const char* name, std::string value, domain::Outputs& outputs) {
  if (!value.empty()) outputs[name] = std::move(value);
}

std::string with_error(std::string what, const std::string& error) {
  if (!error.empty()) what += ": " + shortened(error, kErrorBytes);
  return what;
}

// What a user should know of a state that is neither the start, nor running, nor the end.
std::string note_of(const std::string& state, const std::string& name, const std::string& name_space,
                    const std::string& error) {
  if (state == "SUBMISSION_FAILED") {
    const std::string cause = submission_failure(error);
    return with_error("spark-submit failed, and the operator tries it again", cause.empty() ? error : cause);
  }
  if (state == "PENDING_RERUN") return with_error("the operator starts the driver again", error);
  if (state == "INVALIDATING")
    return "somebody changed the application's spec: the operator ends the driver and starts it anew";
  if (state == "SUSPENDING" || state == "SUSPENDED")
    return fmt::format(
        "the application is suspended and waits: kubectl patch sparkapplication {} -n {} --type "
        "merge -p '{{\"spec\":{{\"suspend\":false}}}}' resumes it; cancel the job if it is not "
        "wanted",
        name, name_space);
  if (state == "UNKNOWN") return "the operator does not know how the driver is: its node may be out of reach";
  return "";
}

// "Message: … . Received status: …" of the client library inside spark-submit.
std::string server_words(const std::string& line) {
  constexpr std::string_view kMark = "Message: ";
  const std::size_t begin = line.find(kMark);
  if (begin == std::string::npos) return "";
  const std::size_t end = line.find(" Received status:", begin);
  std::string words = line.substr(begin + kMark.size(),
                                  end == std::string::npos ? std::string::npos : end - begin - kMark.size());
  while (words.ends_with('.') || words.ends_with(' ')) words.pop_back();
  return words;
}

}  // namespace

kube::Resource SparkKind::resource() const {
  return {"sparkoperator.k8s.io", "v1beta2", "sparkapplications"};
}

json::object SparkKind::kept(const json::object& object) const {
  json::object kept;
  if (const json::object* status = kube::object_at(object, "status")) {
    kept["status"] = *status;
    kept["status"].get_object().erase("executorState");  // of a large job: thousands of words
  }
  if (const json::object* metadata = kube::object_at(object, "metadata"))
    kept["namespace"] = kube::text_at(*metadata, "namespace");
  const json::object* spec = kube::object_at(object, "spec");
  if (spec != nullptr && kube::whole_at(*spec, "timeToLiveSeconds").value_or(0) > 0) kept[kStays] = true;
  return kept;
}

RunSight SparkKind::sight(const std::string& name, const json::object& kept) const {
  RunSight sight;
  sight.outputs["app_name"] = name;
  const json::object* status = kube::object_at(kept, "status");
  if (status == nullptr) return sight;
  std::string state;
  if (const json::object* application = kube::object_at(*status, "applicationState")) {
    state = kube::text_at(*application, "state");
    sight.error = kube::text_at(*application, "errorMessage");
  }
  add("spark_application_id", kube::text_at(*status, "sparkApplicationId"), sight.outputs);
  add("submission_id", kube::text_at(*status, "submissionID"), sight.outputs);
  if (const json::object* driver = kube::object_at(*status, "driverInfo")) {
    sight.pod = kube::text_at(*driver, "podName");
    add("driver_pod", sight.pod, sight.outputs);
    add("web_ui_address", kube::text_at(*driver, "webUIAddress"), sight.outputs);
    add("web_ui_address", kube::text_at(*driver, "webUIIngressAddress"), sight.outputs);
  }
  if (state == "COMPLETED") {
    sight.stage = RunSight::Stage::kSucceeded;
  } else if (state == "FAILED") {
    sight.stage = RunSight::Stage::kFailed;
  } else if (state == "RUNNING" || state == "SUCCEEDING" || state == "FAILING" || state == "UNKNOWN") {
    sight.stage = RunSight::Stage::kRunning;
  }
  sight.note = note_of(state, name, kube::text_at(kept, "namespace"), sight.error);
  return sight;
}

std::string SparkKind::pod_selector(const std::string& name) const {
  return fmt::format("sparkoperator.k8s.io/app-name={},spark-role=driver", name);
}

std::string SparkKind::helper_selector(const std::string& name) const {
  return fmt::format("sparkoperator.k8s.io/app-name={},spark-role=executor", name);
}

std::string submission_failure(const std::string& message) {
  const bool is_one = message.find("failed to run spark-submit") != std::string::npos ||
                      message.find("failed to submit spark application") != std::string::npos;
  if (!is_one) return "";
  std::istringstream lines(message);
  std::string line;
  std::string server;
  std::string last;  // the lines that are no stack trace, at most some
  int kept = 0;
  while (std::getline(lines, line)) {
    if (server.empty()) server = server_words(line);
    const bool is_trace = line.starts_with("\tat ") || line.starts_with("\t...") || line.empty();
    const bool tells = line.find("Exception") != std::string::npos || line.starts_with("Caused by:") ||
                       line.find("Error") != std::string::npos || line.find("error") != std::string::npos;
    if (is_trace || !tells || kept >= kCauseLines) continue;
    last += (kept++ == 0 ? "" : "\n") + shortened(line, kErrorBytes / 4);
  }
  if (server.find("exceeded quota") != std::string::npos)
    return fmt::format(
        "the namespace's quota has no room for the driver ({}): wait until other jobs have ended, "
        "ask for less, or have the quota raised",
        server);
  if (!server.empty()) return fmt::format("spark-submit failed: {}", shortened(server, kErrorBytes));
  return fmt::format("spark-submit failed: {}", shortened(last.empty() ? message : last, kErrorBytes));
}

ports::Observation SparkKind::failure(const RunSight& sight, const PodSight& pod) const {
  ports::Observation seen;
  seen.phase = ports::RunPhase::kFailed;
  if (std::string cause = submission_failure(sight.error); !cause.empty()) {
    seen.error = std::move(cause);
    return seen;
  }
  if (pod.is_there() && (pod.disrupted || pod.has_ended)) return pod_end(pod, "the driver");
  if (sight.error.find("driver pod not found") != std::string::npos) {
    seen.phase = ports::RunPhase::kEnded;
    seen.reason = domain::EndReason::kLost;
    seen.error =
        "the driver's pod disappeared: it was deleted, or its node is gone; submit the job again, or let "
        "it have more attempts with max_attempts";
    return seen;
  }
  if (sight.error.find("driver container status missing") != std::string::npos) {
    seen.phase = ports::RunPhase::kEnded;
    seen.reason = domain::EndReason::kNodeGone;
    seen.error =
        "the driver's pod ended without its container, as evicted ones do: submit the job again, or let "
        "it have more attempts with max_attempts";
    return seen;
  }
  seen.error = with_error("the driver failed", sight.error);
  return seen;
}

}  // namespace waybill::plugins
