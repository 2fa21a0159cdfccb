#include "waybill/plugins/kubernetes/pod_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/json.hpp>
#include <exception>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/base/time.h"
#include "waybill/kube/json_access.h"
#include "waybill/kube/object.h"

namespace waybill::plugins {
namespace json = boost::json;
namespace {

constexpr absl::Duration kFirstWait = absl::Milliseconds(500);
constexpr absl::Duration kLongestWait = absl::Seconds(10);

std::string created_at(const json::object& pod) {
  const json::object* metadata = kube::object_at(pod, "metadata");
  return metadata == nullptr ? "" : kube::text_at(*metadata, "creationTimestamp");
}

}  // namespace

Task<absl::StatusOr<PodSight>> find_pod(std::shared_ptr<ClusterConnection> connection, std::string name_space,
                                        std::string name, std::string selector, std::string main_container) {
  if (!name.empty()) {
    auto pod = co_await connection->api->get(kube::pods(), name_space, name);
    if (absl::IsNotFound(pod.status())) co_return PodSight();
    WB_CO_TRY(pod);
    co_return read_pod(*pod, main_container);
  }
  kube::ApiRequest request;
  request.path = kube::collection_path(kube::pods(), name_space);
  request.query = {{"labelSelector", selector}};
  auto list = co_await connection->api->call(std::move(request));
  WB_CO_TRY(list);
  const json::value* items = list->if_contains("items");
  const json::object* newest = nullptr;
  if (items != nullptr && items->is_array()) {
    for (const json::value& item : items->get_array()) {
      const json::object* pod = item.if_object();
      if (pod != nullptr && (newest == nullptr || created_at(*newest) < created_at(*pod))) newest = pod;
    }
  }
  co_return newest == nullptr ? PodSight() : read_pod(*newest, main_container);
}

PodLog::PodLog(Parts parts, Source source, std::function<void()> on_end)
    : parts_(std::move(parts)), source_(std::move(source)), on_end_(std::move(on_end)) {}

void PodLog::start() {
  boost::asio::co_spawn(parts_.io, run(shared_from_this()),
                        [self = shared_from_this()](const std::exception_ptr& problem) {
                          if (problem) self->problem_ = "reading it ended with an exception";
                          self->has_ended_ = true;
                          self->on_end_();
                        });
}

void PodLog::stop() {
  stopped_ = true;
  if (bytes_ != nullptr) bytes_->cancel();
}

Task<void> PodLog::run(std::shared_ptr<PodLog> self) {
  absl::Duration wait = kFirstWait;
  while (!self->stopped_) {
    const std::uint64_t before = self->position_.offset;
    const Step step = co_await self->step();
    if (step == Step::kDone || self->stopped_) co_return;
    const bool has_grown = self->position_.offset != before;
    if (has_grown) wait = kFirstWait;
    // A container's end shows in its log a moment before it shows in its pod.
    if (has_grown && step == Step::kAgain) continue;
    co_await self->parts_.clock.sleep(wait);
    wait = std::min(wait * 2, kLongestWait);
  }
}

// One look at the pod, and its log as far as a connection holds.
Task<PodLog::Step> PodLog::step() {
  if (!opened_) {
    auto archived = co_await RunLog::open(parts_.archive);
    if (!archived.ok()) {
      problem_ = message(archived.status());
      co_return Step::kLater;
    }
    opened_ = true;
    position_ = archived->position;
    more_ = archived->size - position_.offset;
  }
  auto pod = co_await find_pod(parts_.connection, source_.name_space, source_.pod, "", source_.container);
  if (stopped_) co_return Step::kDone;
  if (!pod.ok()) {
    problem_ = message(pod.status());
    co_return absl::IsPermissionDenied(pod.status()) ? Step::kDone : Step::kLater;
  }
  if (!pod->is_there()) {
    if (position_.pod_uid.empty() || problem_.empty()) problem_ = "the pod was removed";
    co_return Step::kDone;
  }
  if (position_.pod_uid.empty()) position_.pod_uid = pod->uid;
  if (pod->uid != position_.pod_uid) {
    // Another pod of the name: its log follows that of the one before.
    position_ = {.pod_uid = pod->uid, .offset = position_.offset + more_, .time = "", .lines = 0, .bytes = 0};
    more_ = 0;
  }
  const bool is_over = pod->is_over();
  if (!is_over && pod->phase == "Pending") co_return Step::kLater;
  const absl::Status read = co_await stream(*pod, !is_over);
  if (stopped_) co_return Step::kDone;
  if (read.ok()) {
    problem_.clear();
    // A stream that ended well may have been the server's or the pod's end: the next look tells.
    co_return is_over ? Step::kDone : Step::kAgain;
  }
  problem_ = message(read);
  if (absl::IsPermissionDenied(read)) co_return Step::kDone;
  // A pod that never ran has no log.
  if (is_over && absl::IsInvalidArgument(read)) {
    problem_.clear();
    co_return Step::kDone;
  }
  co_return Step::kLater;
}

Task<absl::Status> PodLog::stream(PodSight pod, bool follow) {
  kube::PodLog wanted;
  wanted.name_space = source_.name_space;
  wanted.pod = source_.pod;
  wanted.container = pod.container;
  wanted.follow = follow;
  wanted.timestamps = true;
  if (!position_.time.empty()) {
    if (const auto since = parse_time(position_.time); since.ok()) wanted.since = *since;
  }
  PodLogLines lines(position_, more_);
  bytes_ = parts_.connection->api->pod_log(std::move(wanted));
  absl::Status status;
  for (bool is_end = false; !is_end && !stopped_;) {
    auto bytes = co_await bytes_->read();
    if (!bytes.ok()) {
      status = bytes.status();
      break;
    }
    is_end = bytes->empty();
    std::string text = is_end ? lines.finish() : lines.take(*bytes);
    if (text.empty()) continue;
    LogPosition position = lines.position();
    position.pod_uid = pod.uid;
    const absl::Status kept = co_await RunLog::append(parts_.archive, std::move(text), position);
    position_ = std::move(position);
    more_ = 0;
    if (!kept.ok()) problem_ = message(kept);
  }
  bytes_ = nullptr;
  co_return status;
}

}  // namespace waybill::plugins
