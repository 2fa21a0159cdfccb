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
#include "waybill/plugins/kubernetes/kubernetes_executor.h"
#include "waybill/plugins/kubernetes/result_log.h"

// What is the case with a run: of its object as the watch knows it, and of its pod where that says more.
namespace waybill::plugins {
namespace json = boost::json;

using ports::Observation;
using ports::RunPhase;

namespace {

constexpr absl::Duration kLongestPodInterval = absl::Seconds(30);
constexpr absl::Duration kAgainSoon = absl::Seconds(1);
constexpr std::uint64_t kTailLines = 100;
constexpr std::size_t kTailBytes = 16384;
constexpr std::int64_t kHelperLogBytes = 1 << 20;
constexpr std::size_t kMostHelpers = 50;
constexpr std::int64_t kPendingErrorSeconds = 120;

Task<void> nudge_later(ports::Clock* clock, absl::Duration wait, ports::Nudge nudge, JobId id,
                       std::shared_ptr<bool> is_waiting) {
  co_await clock->sleep(wait);
  *is_waiting = false;
  nudge(id);
}

// How long what does not mend itself may keep a pod from beginning.
absl::Duration pending_patience(const json::object& context) {
  return absl::Seconds(kube::whole_at(context, "pending_error_seconds").value_or(kPendingErrorSeconds));
}

bool is_wanted(const json::object& context, std::string_view flag) {
  const json::value* value = kube::member_at(context, flag);
  return value != nullptr && value->is_bool() && value->get_bool();
}

}  // namespace

// What the watch knows if it is kept up to date, else what the server says. An error: nothing is known.
Task<absl::Status> KubernetesExecutor::refresh(RunPtr run) {
  const ObjectWatch::Seen* seen = run->watch->find(run->uid);
  const bool is_known = seen != nullptr && !seen->stale && (seen->deleted || run->watch->is_live());
  if (is_known) co_return absl::OkStatus();
  const auto object = co_await run->connection->api->get(kind_->resource(), run->name_space, run->name);
  if (object.ok() && kube::name_of(*object).uid == run->uid) {
    run->watch->put(*object);
  } else if (object.ok() || absl::IsNotFound(object.status())) {
    run->watch->put_gone(run->uid);
  } else if (run->watch->find(run->uid) == nullptr) {
    co_return object.status();
  }
  co_return absl::OkStatus();
}

Task<absl::StatusOr<Observation>> KubernetesExecutor::see(RequestPtr request, RunPtr run) {
  const absl::Status known = co_await refresh(run);
  WB_CO_TRY(known);
  const ObjectWatch::Seen* seen = run->watch->find(run->uid);
  if (seen == nullptr) co_return unavailable("the object is not known yet");
  const bool is_gone = seen->deleted;
  const json::object kept = seen->kept;
  RunSight sight = kind_->sight(run->name, kept);
  if (sight.has_pods && sight.pod.empty()) {
    const absl::Status looked = co_await find_unnamed_pod(run);
    WB_CO_TRY(looked);
    sight.pod = run->pod;
    if (!sight.pod.empty()) sight.outputs["pod"] = sight.pod;
  }
  Observation now;
  now.phase = RunPhase::kPending;
  now.outputs = sight.outputs;
  now.outputs["namespace"] = run->name_space;
  if (sight.stage == RunSight::Stage::kSucceeded || sight.stage == RunSight::Stage::kFailed)
    co_return co_await see_over(request, run, std::move(sight), std::move(now));
  if (is_gone) co_return co_await see_gone(run, std::move(sight), std::move(now));
  if (!sight.note.empty()) co_await note(run, sight.note);
  if (sight.stage == RunSight::Stage::kPending)
    co_return co_await see_pending(request, run, std::move(sight), std::move(now));
  follow_log(run, sight);
  now.phase = RunPhase::kRunning;
  co_return now;
}

// The newest pod, found once; again when the log of the one before has ended, which another may have
// followed.
Task<absl::Status> KubernetesExecutor::find_unnamed_pod(RunPtr run) {
  const bool is_followed = run->log == nullptr || !run->log->has_ended();
  if (!run->pod.empty() && is_followed) co_return absl::OkStatus();
  const auto pod = co_await find_pod(run->connection, run->name_space, "", kind_->pod_selector(run->name),
                                     kind_->main_container());
  WB_CO_TRY(pod);
  if (!pod->is_there() || pod->name == run->pod) co_return absl::OkStatus();
  run->pod = pod->name;
  run->log = nullptr;
  co_return absl::OkStatus();
}

// The object says nothing of a pod that can't begin; the pod itself is asked, less and less often.
Task<Observation> KubernetesExecutor::see_pending(RequestPtr request, RunPtr run, RunSight sight,
                                                  Observation now) {
  const absl::Time at = parts_.clock.now();
  if (sight.pod.empty() || at < run->look_at_pod) co_return now;
  const auto pod =
      co_await find_pod(run->connection, run->name_space, sight.pod, "", kind_->main_container());
  run->look_at_pod = at + run->pod_interval;
  run->pod_interval = std::min(run->pod_interval * 3 / 2, kLongestPodInterval);
  if (pod.ok() && pod->phase == "Running") {
    // Whoever runs it has not said so yet, or never will.
    follow_log(run, sight);
    now.phase = RunPhase::kRunning;
    co_return now;
  }
  const std::optional<PodTrouble> trouble = pod.ok() ? pod_trouble(*pod) : std::nullopt;
  if (!trouble) {
    if (pod.ok()) run->trouble_since = absl::InfiniteFuture();
    co_return now;
  }
  co_await note(run, trouble->note);
  run->trouble_since = std::min(run->trouble_since, at);
  const bool is_over = trouble->is_for_us ||
                       (!trouble->may_pass && at - run->trouble_since >= pending_patience(request->context));
  if (!is_over) co_return now;
  now.phase = RunPhase::kFailed;
  now.error = fmt::format("the pod {} can't begin: {}", sight.pod, trouble->note);
  run->end = now;
  co_return now;
}

// The object was deleted before its end. It is over when no pod of it is left.
Task<Observation> KubernetesExecutor::see_gone(RunPtr run, RunSight sight, Observation now) {
  const absl::Time at = parts_.clock.now();
  run->gone_since = std::min(run->gone_since, at);
  now.phase = RunPhase::kRunning;
  const bool had_pod = !sight.pod.empty();
  const auto pod = co_await find_pod(run->connection, run->name_space, sight.pod,
                                     kind_->pod_selector(run->name), kind_->main_container());
  if (pod.ok() && pod->is_there()) {
    if (!pod->deleting && at - run->gone_since >= options_.pod_grace) {
      kube::Deletion how;
      how.uid = pod->uid;
      const absl::Status removed =
          co_await run->connection->api->remove(kube::pods(), run->name_space, pod->name, std::move(how));
      static_cast<void>(removed);  // the next look tells
    }
    sight.pod = pod->name;
    follow_log(run, sight);
  }
  // One that was being made while the object went may still come.
  const bool may_come = !had_pod && at - run->gone_since < options_.straggler_patience;
  if (!pod.ok() || pod->is_there() || may_come) {
    nudge_in(run, kAgainSoon);
    co_return now;
  }
  if (run->log != nullptr) run->log->stop();
  now.phase = RunPhase::kEnded;
  now.reason = domain::EndReason::kDeleted;
  now.error = fmt::format(
      "the {} {}/{} was deleted before it had ended, by somebody else than this gateway: "
      "submit the job again if it is still wanted",
      kind_->word(), run->name_space, run->name);
  run->end = now;
  co_return now;
}

// It has ended; the job's end waits for its log.
Task<Observation> KubernetesExecutor::see_over(RequestPtr request, RunPtr run, RunSight sight,
                                               Observation now) {
  const absl::Time at = parts_.clock.now();
  run->over_since = std::min(run->over_since, at);
  const bool is_late = at - run->over_since >= options_.log_patience;
  follow_log(run, sight);
  const bool has_log = sight.pod.empty() || (run->log != nullptr && run->log->has_ended());
  if (!has_log && !is_late) {
    now.phase = RunPhase::kRunning;
    nudge_in(run, kAgainSoon);
    co_return now;
  }
  if (run->log != nullptr) {
    run->log->stop();
    if (!run->log->problem().empty()) co_await note(run, "the log may lack its end: " + run->log->problem());
  }
  if (is_wanted(request->context, "log_executors") && !run->has_helper_logs) {
    run->has_helper_logs = true;
    co_await keep_helper_logs(run);
  }
  const absl::Status concluded = co_await conclude(request, run, std::move(sight), now);
  if (!concluded.ok() && !is_late) {
    now.phase = RunPhase::kRunning;
    nudge_in(run, kAgainSoon);
    co_return now;
  }
  run->end = now;
  co_return now;
}

// How it ended, in `now`. An error: that can't be said at the moment, and `now` has what is known.
// NOLINTNEXTLINE(*-reference-coroutine-parameters): the caller's own, who waits
Task<absl::Status> KubernetesExecutor::conclude(RequestPtr request, RunPtr run, RunSight sight,
                                                Observation& now) {
  if (sight.stage == RunSight::Stage::kSucceeded) {
    now.phase = RunPhase::kSucceeded;
    if (!is_wanted(request->context, "return_result")) co_return absl::OkStatus();
    auto read = [archive = run->archive, limits = options_.limits] {
      return read_result_log(archive->directory().string(), archive->folder(), limits);
    };
    auto result = co_await on(parts_.pool, std::move(read));
    if (result.ok()) now.result = *std::move(result);
    if (!result.ok() && !absl::IsInvalidArgument(result.status())) co_return result.status();
    if (result.ok() && now.result != nullptr) co_return absl::OkStatus();
    now.phase = RunPhase::kFailed;
    now.error = result.ok() ? fmt::format(
                                  "it ended well, but its log holds no result: it must print lines that "
                                  "begin with \"{}\"",
                                  kResultMark)
                            : "it ended well, but its result can't be read: " + message(result.status());
    co_return absl::OkStatus();
  }
  absl::StatusOr<PodSight> pod = PodSight();
  if (!sight.pod.empty())
    pod = co_await find_pod(run->connection, run->name_space, sight.pod, "", kind_->main_container());
  Observation end = kind_->failure(sight, pod.ok() ? *pod : PodSight());
  now.phase = end.phase;
  now.reason = end.reason;
  now.error = std::move(end.error);
  auto tail = co_await RunLog::tail(run->archive, kTailLines, kTailBytes);
  if (tail.ok() && !tail->empty()) now.error += "\nThe last lines of its log:\n" + *tail;
  co_return pod.status();
}

Task<void> KubernetesExecutor::keep_helper_logs(RunPtr run) {
  const std::string selector = kind_->helper_selector(run->name);
  if (selector.empty()) co_return;
  kube::ApiRequest request;
  request.path = kube::collection_path(kube::pods(), run->name_space);
  request.query = {{"labelSelector", selector}};
  const auto list = co_await run->connection->api->call(std::move(request));
  std::vector<std::string> names;
  const json::value* items = list.ok() ? list->if_contains("items") : nullptr;
  if (items != nullptr && items->is_array()) {
    for (const json::value& item : items->get_array()) {
      if (item.is_object()) names.push_back(kube::name_of(item.get_object()).name);
    }
  }
  std::sort(names.begin(), names.end());
  std::string text;
  if (names.empty()) text = "no executor is there any more to take a log from\n";
  for (std::size_t i = 0; i < names.size() && i < kMostHelpers; ++i) {
    kube::PodLog wanted;
    wanted.name_space = run->name_space;
    wanted.pod = names[i];
    wanted.limit_bytes = kHelperLogBytes;
    const auto bytes = run->connection->api->pod_log(std::move(wanted));
    text += fmt::format("--- log of {}\n", names[i]);
    for (bool more = true; more;) {
      auto read = co_await bytes->read();
      if (!read.ok()) text += fmt::format("[can't be read: {}]\n", message(read.status()));
      more = read.ok() && !read->empty();
      if (more) text += *read;
    }
    if (!text.ends_with('\n')) text += '\n';
    const absl::Status kept = co_await RunLog::note(run->archive, std::exchange(text, {}));
    if (!kept.ok()) co_return;
  }
  if (names.size() > kMostHelpers)
    text = fmt::format("{} more logs are left out\n", names.size() - kMostHelpers);
  const absl::Status kept = co_await RunLog::note(run->archive, std::move(text));
  static_cast<void>(kept);
}

// On the job's stderr, where users look for what goes on; each once until another comes.
Task<void> KubernetesExecutor::note(RunPtr run, std::string text) {
  if (text == run->noted) co_return;
  run->noted = text;
  std::string line = fmt::format("{} waybill: {}\n", format_time(parts_.clock.now()), text);
  const absl::Status kept = co_await RunLog::note(run->archive, std::move(line));
  static_cast<void>(kept);  // a full disk must not end a job
}

int KubernetesExecutor::logs_followed() const {
  return static_cast<int>(std::count_if(runs_.begin(), runs_.end(), [](const auto& entry) {
    return entry.second->log != nullptr && !entry.second->log->has_ended();
  }));
}

void KubernetesExecutor::follow_log(const RunPtr& run, const RunSight& sight) {
  const auto submission = sight.outputs.find("submission_id");
  const std::string of = submission == sight.outputs.end() ? "" : submission->second;
  // The operator may start the driver again, under the same name.
  const bool is_another = run->log != nullptr && run->log->has_ended() && of != run->log_of;
  if (sight.pod.empty() || (run->log != nullptr && !is_another) || logs_followed() >= options_.most_logs)
    return;
  run->log_of = of;
  run->log = std::make_shared<PodLog>(
      PodLog::Parts{
          .io = parts_.io, .clock = parts_.clock, .connection = run->connection, .archive = run->archive},
      PodLog::Source{.name_space = run->name_space, .pod = sight.pod, .container = kind_->main_container()},
      [nudge = parts_.nudge, job = run->job] { nudge(job); });
  run->log->start();
}

void KubernetesExecutor::nudge_in(const RunPtr& run, absl::Duration wait) {
  if (*run->nudge_waits) return;
  *run->nudge_waits = true;
  boost::asio::co_spawn(parts_.io, nudge_later(&parts_.clock, wait, parts_.nudge, run->job, run->nudge_waits),
                        [](const std::exception_ptr&) {
                          // Only a stopping io context ends the sleep early; the poll comes then.
                        });
}

}  // namespace waybill::plugins
