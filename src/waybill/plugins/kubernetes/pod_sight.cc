#include "waybill/plugins/kubernetes/pod_sight.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <utility>

#include "waybill/kube/json_access.h"
#include "waybill/kube/object.h"

namespace waybill::plugins {
namespace json = boost::json;
namespace {

constexpr std::size_t kMessageBytes = 2048;

const json::array& list_at(const json::object& object, std::string_view name) {
  static const json::array& none = *new json::array();
  const json::value* member = kube::member_at(object, name);
  return member == nullptr || !member->is_array() ? none : member->get_array();
}

// Of the container of that name, else of the first.
std::string container_name(const json::object& pod, std::string_view wanted) {
  const json::object* spec = kube::object_at(pod, "spec");
  std::string first;
  if (spec == nullptr) return std::string(wanted);
  for (const json::value& entry : list_at(*spec, "containers")) {
    const json::object* container = entry.if_object();
    if (container == nullptr) continue;
    const std::string name = kube::text_at(*container, "name");
    if (name == wanted) return name;
    if (first.empty()) first = name;
  }
  return first.empty() ? std::string(wanted) : first;
}

// The status of the container of that name; of the first where none has it.
const json::object* container_status(const json::object& status, std::string_view name) {
  const json::object* first = nullptr;
  for (const json::value& entry : list_at(status, "containerStatuses")) {
    const json::object* container = entry.if_object();
    if (container == nullptr) continue;
    if (first == nullptr) first = container;
    if (kube::text_at(*container, "name") == name) return container;
  }
  return first;
}

void read_conditions(const json::object& status, PodSight& pod) {
  for (const json::value& entry : list_at(status, "conditions")) {
    const json::object* condition = entry.if_object();
    if (condition == nullptr) continue;
    const std::string type = kube::text_at(*condition, "type");
    const std::string value = kube::text_at(*condition, "status");
    if (type == "DisruptionTarget" && value == "True") {
      pod.disrupted = true;
      if (pod.reason.empty()) pod.reason = kube::text_at(*condition, "reason");
      if (pod.message.empty()) pod.message = kube::text_at(*condition, "message");
    }
    if (type == "PodScheduled" && value == "False") {
      pod.unschedulable = true;
      pod.unschedulable_message = kube::text_at(*condition, "message");
    }
  }
}

void read_container(const json::object& container, PodSight& pod) {
  const json::object* state = kube::object_at(container, "state");
  if (state == nullptr) return;
  if (const json::object* waiting = kube::object_at(*state, "waiting")) {
    pod.waiting_reason = kube::text_at(*waiting, "reason");
    pod.waiting_message = kube::text_at(*waiting, "message");
  }
  const json::object* ended = kube::object_at(*state, "terminated");
  if (ended == nullptr) return;
  pod.has_ended = true;
  pod.exit_code = kube::whole_at(*ended, "exitCode").value_or(0);
  pod.end_reason = kube::text_at(*ended, "reason");
  pod.termination_message = kube::text_at(*ended, "message");
}

bool is_image_trouble(const std::string& reason) {
  return reason == "ErrImagePull" || reason == "ImagePullBackOff" || reason == "ErrImageNeverPull" ||
         reason == "RegistryUnavailable" || reason == "ImageInspectError";
}

std::string in_brackets(const std::string& text) { return text.empty() ? "" : " (" + text + ")"; }

}  // namespace

std::string shortened(std::string text, std::size_t limit) {
  if (text.size() <= limit) return text;
  const auto is_inside = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  std::size_t head = limit / 2;
  while (head > 0 && is_inside(head)) --head;
  std::size_t tail = text.size() - limit / 2;
  while (is_inside(tail)) ++tail;
  return fmt::format("{}\n[… {} bytes left out …]\n{}", text.substr(0, head), tail - head, text.substr(tail));
}

PodSight read_pod(const json::object& object, std::string_view main_container) {
  PodSight pod;
  const kube::ObjectName name = kube::name_of(object);
  pod.uid = name.uid;
  pod.name = name.name;
  const json::object* metadata = kube::object_at(object, "metadata");
  pod.deleting = metadata != nullptr && !kube::text_at(*metadata, "deletionTimestamp").empty();
  pod.container = container_name(object, main_container);
  const json::object* status = kube::object_at(object, "status");
  if (status == nullptr) return pod;
  pod.phase = kube::text_at(*status, "phase");
  pod.reason = kube::text_at(*status, "reason");
  pod.message = kube::text_at(*status, "message");
  pod.disrupted = pod.reason == "Evicted" || pod.reason == "NodeLost" || pod.reason == "Preempting" ||
                  pod.reason == "Shutdown" || pod.reason == "NodeShutdown" || pod.reason == "Terminated";
  read_conditions(*status, pod);
  if (const json::object* container = container_status(*status, pod.container))
    read_container(*container, pod);
  return pod;
}

std::optional<PodTrouble> pod_trouble(const PodSight& pod) {
  const std::string said = shortened(pod.waiting_message, kMessageBytes);
  if (pod.waiting_reason == "InvalidImageName") {
    return PodTrouble{fmt::format("the image's name is not valid{}: correct the image in the template or the "
                                  "context",
                                  in_brackets(said)),
                      true, false};
  }
  if (is_image_trouble(pod.waiting_reason)) {
    return PodTrouble{
        fmt::format("the image can't be pulled ({}{}{}): check the image's name and tag, and the "
                    "pull secret of the service account",
                    pod.waiting_reason, said.empty() ? "" : ": ", said),
        false, false};
  }
  if (pod.waiting_reason == "CreateContainerConfigError" || pod.waiting_reason == "CreateContainerError") {
    return PodTrouble{fmt::format("the container can't be made ({}{}{}): check the secrets, config maps and "
                                  "volumes that the template names",
                                  pod.waiting_reason, said.empty() ? "" : ": ", said),
                      false, false};
  }
  if (pod.unschedulable) {
    return PodTrouble{fmt::format("no node has room for the pod {}{}: it waits; ask for fewer cores or less "
                                  "memory, or for more nodes",
                                  pod.name, in_brackets(shortened(pod.unschedulable_message, kMessageBytes))),
                      false, true};
  }
  return std::nullopt;
}

ports::Observation pod_end(const PodSight& pod, std::string_view what) {
  ports::Observation seen;
  seen.phase = ports::RunPhase::kFailed;
  if (pod.disrupted) {
    seen.phase = ports::RunPhase::kEnded;
    seen.reason = domain::EndReason::kNodeGone;
    seen.error = fmt::format(
        "{} was taken off its node ({}{}{}): the job itself did nothing wrong; submit it again, or "
        "let it have more attempts with max_attempts",
        what, pod.reason.empty() ? "evicted" : pod.reason, pod.message.empty() ? "" : ": ",
        shortened(pod.message, kMessageBytes));
  } else if (pod.end_reason == "OOMKilled") {
    seen.error = fmt::format(
        "{} was ended because it needed more memory than it may have (OOMKilled, exit code "
        "{}): give it more memory or more overhead",
        what, pod.exit_code);
  } else if (pod.has_ended) {
    seen.error =
        fmt::format("{} ended with exit code {}{}", what, pod.exit_code,
                    pod.end_reason.empty() || pod.end_reason == "Error" ? "" : in_brackets(pod.end_reason));
  } else {
    seen.error = fmt::format("{} failed{}", what, in_brackets(pod.reason));
  }
  if (!pod.termination_message.empty())
    seen.error += ": " + shortened(pod.termination_message, 2 * kMessageBytes);
  return seen;
}

}  // namespace waybill::plugins
