#include "waybill/plugins/kubernetes/kubernetes_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/kube/api_error.h"
#include "waybill/kube/json_access.h"
#include "waybill/kube/object.h"
#include "waybill/plugins/kubernetes/json_edit.h"
#include "waybill/plugins/kubernetes/start_error.h"
#include "waybill/plugins/kubernetes/template_file.h"

namespace waybill::plugins {
namespace json = boost::json;
namespace {

constexpr absl::Duration kFirstWait = absl::Milliseconds(250);
constexpr absl::Duration kLongestWait = absl::Seconds(5);

kube::Resource secrets() { return {"", "v1", "secrets"}; }

bool is_ours(const json::object& object, const JobId& job) {
  const json::object* metadata = kube::object_at(object, "metadata");
  const json::object* labels = metadata == nullptr ? nullptr : kube::object_at(*metadata, "labels");
  return labels != nullptr && kube::text_at(*labels, kJobLabel) == job.str();
}

bool is_being_deleted(const json::object& object) {
  const json::object* metadata = kube::object_at(object, "metadata");
  return metadata != nullptr && !kube::text_at(*metadata, "deletionTimestamp").empty();
}

std::string label_of(const domain::Job& job) { return fmt::format("{}-{}", job.id.str(), job.state.attempt); }

}  // namespace

std::string run_name(const RunKind& kind, const domain::Job& job) {
  const std::string name = kind.prefix() + job.id.str();
  return job.state.attempt == 1 ? name : fmt::format("{}-{}", name, job.state.attempt);
}

domain::ExecutorHandle to_handle(const std::string& plugin, const RunHandle& run) {
  return fmt::format("{} {}/{} {}", plugin, run.name_space, run.name, run.uid);
}

std::optional<RunHandle> parse_run_handle(const std::string& plugin, const domain::ExecutorHandle& handle) {
  std::string_view rest = handle;
  if (!rest.starts_with(plugin + " ")) return std::nullopt;
  rest.remove_prefix(plugin.size() + 1);
  const std::size_t slash = rest.find('/');
  const std::size_t blank = rest.find(' ');
  if (slash == std::string_view::npos || blank == std::string_view::npos || slash > blank)
    return std::nullopt;
  RunHandle run{std::string(rest.substr(0, slash)), std::string(rest.substr(slash + 1, blank - slash - 1)),
                std::string(rest.substr(blank + 1))};
  if (run.name_space.empty() || run.name.empty() || run.uid.empty()) return std::nullopt;
  return run;
}

KubernetesExecutor::KubernetesExecutor(Parts parts, KubernetesOptions options,
                                       std::unique_ptr<const RunKind> kind)
    : parts_(std::move(parts)),
      options_(std::move(options)),
      kind_(std::move(kind)),
      traits_(kind_->traits()) {}

KubernetesExecutor::~KubernetesExecutor() {
  for (const auto& [handle, run] : runs_) {
    if (run->log != nullptr) run->log->stop();
  }
}

absl::Status KubernetesExecutor::validate(const ports::JobRequest& request) const {
  WB_TRY(cluster_access(*request.cluster));
  WB_TRY(kind_->template_file(request));
  return kind_->build(request, {}).status();
}

ObjectWatch& KubernetesExecutor::watch_of(ClusterConnection& connection, const std::string& name_space) {
  // The kind outlives no watch: what it keeps is a function of the object alone.
  return parts_.clusters->watch(connection, kind_->resource(), name_space,
                                [this](const json::object& object) { return kind_->kept(object); });
}

Task<absl::StatusOr<ports::StartResult>> KubernetesExecutor::start(RequestPtr request) {
  WB_CO_TRY(validate(*request));
  WB_CO_ASSIGN(std::string file, kind_->template_file(*request));
  auto connected = co_await parts_.clusters->connect(request->cluster);
  WB_CO_ASSIGN(const std::shared_ptr<ClusterConnection> connection, std::move(connected));
  auto read = [file] { return read_template(file); };
  absl::StatusOr<json::object> from = co_await on(parts_.pool, std::move(read));
  WB_CO_TRY(from);
  WB_CO_ASSIGN(RunObjects objects, kind_->build(*request, *std::move(from)));
  const std::string name_space =
      objects.name_space.empty() ? connection->name_space : std::move(objects.name_space);
  ObjectWatch& watch = watch_of(*connection, name_space);

  json::object& metadata = part(objects.object, "metadata");
  metadata["name"] = run_name(*kind_, request->job);
  metadata["namespace"] = name_space;
  json::object& labels = part(metadata, "labels");
  labels[kJobLabel] = request->job.id.str();
  labels[kRecordLabel] = label_of(request->job);
  auto created = co_await create(connection, request, name_space, std::move(objects.object));
  WB_CO_ASSIGN(const json::object object, std::move(created));
  if (objects.secret) {
    const absl::Status kept = co_await create_secret(connection, name_space, object, *objects.secret);
    WB_CO_TRY(kept);
  }
  watch.put(object);
  const kube::ObjectName name = kube::name_of(object);
  ports::StartResult result;
  result.handle = to_handle(traits_.plugin, {name_space, name.name, name.uid});
  result.outcome.emplace();
  result.outcome->outputs = kind_->sight(name.name, kind_->kept(object)).outputs;
  result.outcome->outputs["namespace"] = name_space;
  co_return result;
}

// Until the server has answered: a call whose answer was lost may have made it.
Task<absl::StatusOr<json::object>> KubernetesExecutor::create(std::shared_ptr<ClusterConnection> connection,
                                                              RequestPtr request, std::string name_space,
                                                              json::object object) {
  const kube::Resource resource = kind_->resource();
  const std::string name = run_name(*kind_, request->job);
  const absl::Time give_up = parts_.clock.now() + options_.start_patience;
  absl::Duration wait = kFirstWait;
  for (;;) {
    absl::StatusOr<json::object> made = co_await connection->api->create(resource, name_space, object);
    if (absl::IsAlreadyExists(made.status())) {
      made = co_await connection->api->get(resource, name_space, name);
      if (made.ok() && !is_ours(*made, request->job.id))
        co_return conflict(fmt::format("there is a {} {}/{} that this job did not make: remove it",
                                       kind_->word(), name_space, name));
      if (made.ok() && is_being_deleted(*made)) made = unavailable("it is being deleted");
      if (absl::IsNotFound(made.status())) made = unavailable("it was deleted a moment ago");
    }
    if (made.ok()) co_return made;
    absl::Status why = start_error(made.status(), resource, name_space, connection->server);
    const bool is_quota = absl::IsResourceExhausted(why) && !absl::IsResourceExhausted(made.status());
    if (is_quota || !may_pass(why)) co_return why;
    if (parts_.clock.now() >= give_up) {
      // Nobody knows whether it was made: the same start again finds it.
      co_return error(
          absl::StatusCode::kDeadlineExceeded, "deadline_exceeded",
          fmt::format("the API server {} could not be asked: {}", connection->server, message(why)));
    }
    co_await parts_.clock.sleep(wait);
    wait = std::min(wait * 2, kLongestWait);
  }
}

// It goes with its owner.
Task<absl::Status> KubernetesExecutor::create_secret(std::shared_ptr<ClusterConnection> connection,
                                                     std::string name_space, json::object owner,
                                                     json::object data) {
  const kube::ObjectName of = kube::name_of(owner);
  json::object reference = {{"apiVersion", kube::text_at(owner, "apiVersion")},
                            {"kind", kube::text_at(owner, "kind")},
                            {"name", of.name},
                            {"uid", of.uid}};
  json::array owners;
  owners.push_back(std::move(reference));
  json::object metadata = {{"name", of.name}, {"ownerReferences", std::move(owners)}};
  json::object secret = {
      {"kind", "Secret"}, {"metadata", std::move(metadata)}, {"stringData", std::move(data)}};
  const auto made = co_await connection->api->create(secrets(), name_space, std::move(secret));
  if (made.ok() || absl::IsAlreadyExists(made.status())) co_return absl::OkStatus();
  if (may_pass(made.status())) {
    co_return error(absl::StatusCode::kDeadlineExceeded, "deadline_exceeded", message(made.status()));
  }
  // Without it the object would wait for ever.
  const absl::Status removed = co_await connection->api->remove(kind_->resource(), name_space, of.name);
  static_cast<void>(removed);
  co_return start_error(made.status(), secrets(), name_space, connection->server);
}

Task<absl::StatusOr<KubernetesExecutor::RunPtr>> KubernetesExecutor::run_of(RequestPtr request,
                                                                            domain::ExecutorHandle handle) {
  if (const auto known = runs_.find(handle); known != runs_.end()) co_return known->second;
  const std::optional<RunHandle> at = parse_run_handle(traits_.plugin, handle);
  if (!at) co_return not_found("it is no handle of this executor");
  auto connected = co_await parts_.clusters->connect(request->cluster);
  WB_CO_TRY(connected);
  if (const auto known = runs_.find(handle); known != runs_.end()) co_return known->second;
  auto run = std::make_shared<Run>();
  run->job = request->job.id;
  run->name_space = at->name_space;
  run->name = at->name;
  run->uid = at->uid;
  run->connection = *connected;
  run->watch = &watch_of(**connected, at->name_space);
  run->archive = std::make_shared<RunLog>(parts_.pool, options_.jobs_directory, request->job.id,
                                          request->job.state.attempt, options_.limits.log_bytes);
  runs_[handle] = run;
  co_return run;
}

Task<absl::StatusOr<ports::Observation>> KubernetesExecutor::observe(RequestPtr request,
                                                                     domain::ExecutorHandle handle) {
  if (!parse_run_handle(traits_.plugin, handle)) {
    ports::Observation unknown;
    unknown.phase = ports::RunPhase::kUnknown;
    co_return unknown;
  }
  auto run = co_await run_of(request, handle);
  WB_CO_TRY(run);
  if ((*run)->end) co_return *(*run)->end;
  co_return co_await see(request, *run);
}

Task<absl::Status> KubernetesExecutor::cancel(RequestPtr request, domain::ExecutorHandle handle) {
  if (!parse_run_handle(traits_.plugin, handle)) co_return absl::OkStatus();
  auto found = co_await run_of(request, handle);
  WB_CO_TRY(found);
  const RunPtr run = *found;
  if (run->end) co_return absl::OkStatus();
  const absl::Status seen = co_await refresh(run);
  WB_CO_TRY(seen);
  const ObjectWatch::Seen* now = run->watch->find(run->uid);
  if (now == nullptr || now->deleted) co_return absl::OkStatus();
  const RunSight::Stage stage = kind_->sight(run->name, now->kept).stage;
  const bool is_over = stage == RunSight::Stage::kSucceeded || stage == RunSight::Stage::kFailed;
  if (is_over) co_return absl::OkStatus();
  co_return co_await remove(run);
}

Task<absl::Status> KubernetesExecutor::remove(RunPtr run) {
  kube::Deletion how;
  how.propagation = "Background";
  how.uid = run->uid;
  const absl::Status removed =
      co_await run->connection->api->remove(kind_->resource(), run->name_space, run->name, std::move(how));
  const bool is_gone = absl::IsNotFound(removed) || kube::is_conflict(removed);
  co_return is_gone ? absl::OkStatus() : removed;
}

Task<absl::Status> KubernetesExecutor::cleanup(RequestPtr request, domain::ExecutorHandle handle) {
  if (!parse_run_handle(traits_.plugin, handle)) co_return absl::OkStatus();
  auto found = co_await run_of(request, handle);
  WB_CO_TRY(found);
  const RunPtr run = *found;
  if (run->log != nullptr) run->log->stop();
  const ObjectWatch::Seen* now = run->watch->find(run->uid);
  const bool stays = now != nullptr && now->kept.contains(kStays);
  if (!stays) {
    const absl::Status removed = co_await remove(run);
    WB_CO_TRY(removed);
  }
  run->watch->forget(run->uid);
  runs_.erase(handle);
  co_return absl::OkStatus();
}

Task<absl::Status> KubernetesExecutor::check(std::shared_ptr<const domain::Cluster> cluster) {
  auto connected = co_await parts_.clusters->connect(std::move(cluster));
  WB_CO_TRY(connected);
  const auto served = co_await (*connected)->api->serves(kind_->resource());
  WB_CO_TRY(served);
  if (!*served)
    co_return unavailable(fmt::format("the cluster does not serve {}: install what brings them",
                                      kube::to_string(kind_->resource())));
  co_return absl::OkStatus();
}

}  // namespace waybill::plugins
