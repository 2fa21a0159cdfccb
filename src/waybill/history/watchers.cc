#include "waybill/history/watchers.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <optional>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/history/upkeep.h"
#include "waybill/kube/list_reader.h"
#include "waybill/ports/wakeup.h"

namespace waybill::history {
namespace {

// A watch that is silent and stands is alive; one that waits for its next try is so only for a while.
constexpr absl::Duration kStillAlive = absl::Minutes(1);

// NotFound only where the server knows the kind: else nothing is known of the object.
class ApiObjectReader : public ObjectReader {
 public:
  explicit ApiObjectReader(kube::Api& api) : api_(api) {}
  Task<absl::StatusOr<boost::json::object>> get(std::string name_space, std::string name) override {
    auto object = co_await api_.get(spark_applications(), std::move(name_space), std::move(name));
    if (!absl::IsNotFound(object.status())) co_return object;
    const auto served = co_await api_.serves(spark_applications());
    WB_CO_TRY(served);
    if (!*served) co_return unavailable("the cluster does not serve SparkApplications");
    co_return object;
  }

 private:
  kube::Api& api_;
};

// The recording of one scope.
struct ScopeWatch {
  WatchedCluster cluster;
  domain::WatchScope scope;
  ApiObjectReader objects;
  std::unique_ptr<Recorder> recorder;  // while the lease is held
  std::optional<kube::SharedWatches::Subscription> subscription;
  bool has_lease = false;

  ScopeWatch(WatchedCluster of, domain::WatchScope seen)
      : cluster(std::move(of)), scope(std::move(seen)), objects(*cluster.api) {}

  [[nodiscard]] bool is_alive(absl::Time now) const {
    if (!subscription) return false;
    const kube::ReflectorMetrics& metrics = subscription->metrics();
    if (!metrics.synced) return false;
    return metrics.state == kube::ReflectorMetrics::State::kWatching ||
           now - metrics.last_heard < kStillAlive;
  }
};

std::unique_ptr<Recorder> make_recorder(const WatchersPorts& ports, const WatchedCluster& cluster,
                                        const domain::WatchScope& scope, ObjectReader& objects,
                                        std::size_t manifest_bytes, LabelSelector selector) {
  RecorderOptions options;
  options.scope = scope;
  options.selector = std::move(selector);
  options.mask_manifests = cluster.mask_manifests;
  options.manifest_bytes = manifest_bytes;
  return std::make_unique<Recorder>(RecorderPorts{.io = ports.io,
                                                  .records = ports.records,
                                                  .clock = ports.clock,
                                                  .log = ports.log,
                                                  .redactor = ports.redactor,
                                                  .objects = &objects,
                                                  .render = ports.render},
                                    std::move(options));
}

}  // namespace

kube::Resource spark_applications() { return {"sparkoperator.k8s.io", "v1beta2", "sparkapplications"}; }

std::vector<domain::WatchScope> scopes_of(const WatchedCluster& cluster) {
  std::vector<domain::WatchScope> scopes;
  for (const std::string& name_space : cluster.namespaces) {
    scopes.push_back({cluster.cluster, name_space, cluster.selector});
  }
  if (scopes.empty()) scopes.push_back({cluster.cluster, "", cluster.selector});
  return scopes;
}

namespace {

std::optional<absl::Duration> age(absl::Time at, absl::Time now) {
  if (at == absl::InfinitePast()) return std::nullopt;
  return std::max(absl::ZeroDuration(), now - at);
}

void describe(const kube::ReflectorMetrics& watch, const RecorderMetrics& recorder, absl::Time now,
              ports::WatchReport& report) {
  report.synced = watch.synced;
  report.heard_ago = age(watch.last_heard, now).value_or(absl::ZeroDuration());
  report.bookmark_ago = age(watch.last_bookmark, now);
  report.committed_ago = age(recorder.committed_at, now);
  report.event_lag = watch.event_lag;
  report.events = watch.events;
  report.bookmarks = watch.bookmarks;
  report.relists = watch.relists;
  report.errors = watch.errors;
  report.dead_letters = recorder.dead_letters;
  report.lost = recorder.lost;
  report.retries = recorder.retries;
  report.waiting = recorder.waiting;
  if (!watch.last_error.ok()) report.last_error = message(watch.last_error);
}

}  // namespace

struct Watchers::State : std::enable_shared_from_this<Watchers::State> {
  State(WatchersPorts given, WatchersOptions chosen)
      : ports(std::move(given)),
        options(std::move(chosen)),
        upkeep(ports.records, ports.clock, UpkeepOptions{.close_after = options.close_unwatched_after}),
        wake(ports.io),
        ended(ports.io) {
    for (const WatchedCluster& cluster : options.clusters) {
      for (const domain::WatchScope& scope : scopes_of(cluster)) {
        scopes.push_back(std::make_unique<ScopeWatch>(cluster, scope));
      }
    }
  }

  static Task<void> run(std::shared_ptr<State> self) {
    State& state = *self;
    absl::Time next_upkeep = state.ports.clock.now();
    while (!state.stopping) {
      for (const auto& watch : state.scopes) {
        if (!state.stopping) co_await state.renew(*watch);
      }
      if (!state.stopping && state.ports.clock.now() >= next_upkeep) {
        co_await state.keep_up();
        next_upkeep = state.ports.clock.now() + state.options.upkeep;
      }
      if (!state.stopping) co_await state.wake.wait(state.ports.clock, state.options.renew);
    }
    state.has_ended = true;
    state.ended.notify();
  }

  // NOLINTNEXTLINE(*-reference-coroutine-parameters): scopes live as long as the state
  Task<void> renew(ScopeWatch& watch) {
    const bool alive = watch.is_alive(ports.clock.now());
    const auto taken = co_await ports.records.take_lease(watch.scope, options.instance, options.lease, alive);
    // A database that is away takes nothing away: two that record at once are harmless.
    if (!taken.ok()) co_return;
    watch.has_lease = *taken;
    if (watch.has_lease && !watch.recorder) co_await begin(watch);
    if (!watch.has_lease && watch.recorder) {
      watch.subscription.reset();
      watch.recorder.reset();
    }
  }

  // NOLINTNEXTLINE(*-reference-coroutine-parameters): scopes live as long as the state
  Task<void> begin(ScopeWatch& watch) {
    absl::StatusOr<LabelSelector> selector = LabelSelector::parse(watch.scope.selector);
    if (!selector.ok()) co_return;  // checked with the config
    auto recorder = make_recorder(ports, watch.cluster, watch.scope, watch.objects, options.manifest_bytes,
                                  *std::move(selector));
    auto position = co_await recorder->start();
    if (!position.ok()) {
      ports.log.warn("a scope can't be recorded yet",
                     {{"scope", watch.scope.text()}, {"error", message(position.status())}});
      co_return;
    }
    if (stopping) co_return;
    using Joins = kube::SharedWatches::Joins;
    const Joins joins = position->empty() ? Joins::kWithList : Joins::kWithPosition;
    watch.recorder = std::move(recorder);
    const kube::WatchKey key{watch.scope.cluster, spark_applications(), watch.scope.name_space,
                             watch.scope.selector};
    watch.subscription.emplace(
        ports.watches.subscribe(key, *watch.cluster.api, *watch.recorder, joins, *std::move(position)));
  }

  Task<void> keep_up() {
    const absl::Status waiting = co_await upkeep.note_waiting();
    const absl::Status noted = co_await upkeep.note_unwatched();
    const absl::Status closed = co_await upkeep.close_unwatched();
    for (const absl::Status& status : {waiting, noted, closed}) {
      if (!status.ok()) ports.log.warn("records can't be kept up", {{"error", message(status)}});
    }
    for (const auto& watch : scopes) {
      if (watch->recorder && !stopping) co_await watch->recorder->read_outside();
    }
  }

  WatchersPorts ports;
  WatchersOptions options;
  Upkeep upkeep;
  std::vector<std::unique_ptr<ScopeWatch>> scopes;
  ports::Wakeup wake;
  ports::Wakeup ended;
  bool started = false;
  bool stopping = false;
  bool has_ended = false;
};

Watchers::Watchers(WatchersPorts ports, WatchersOptions options)
    : state_(std::make_shared<State>(std::move(ports), std::move(options))) {}

Watchers::~Watchers() {
  state_->stopping = true;
  state_->wake.notify();
}

void Watchers::start() {
  state_->started = true;
  boost::asio::co_spawn(state_->ports.io, State::run(state_),
                        [state = state_](const std::exception_ptr& problem) {
                          if (problem) state->ports.log.error("the watchers ended");
                        });
}

Task<void> Watchers::stop() {
  const std::shared_ptr<State> state = state_;
  state->stopping = true;
  state->wake.notify();
  while (state->started && !state->has_ended) co_await state->ended.wait();
  for (const auto& watch : state->scopes) {
    watch->subscription.reset();
    if (!watch->recorder) continue;
    // What is not committed comes again after the next start.
    watch->recorder->stop();
    co_await watch->recorder->join();
    const absl::Status given =
        co_await state->ports.records.give_lease(watch->scope, state->options.instance);
    if (!given.ok()) continue;  // it grows old
  }
}

std::vector<ports::WatchReport> Watchers::reports() const {
  const absl::Time now = state_->ports.clock.now();
  std::vector<ports::WatchReport> reports;
  for (const auto& watch : state_->scopes) {
    ports::WatchReport& report = reports.emplace_back();
    report.cluster = watch->scope.cluster;
    report.name_space = watch->scope.name_space;
    report.selector = watch->scope.selector;
    report.leads = watch->recorder != nullptr && watch->subscription.has_value();
    if (report.leads) describe(watch->subscription->metrics(), watch->recorder->metrics(), now, report);
  }
  return reports;
}

Task<absl::Status> backfill(WatchersPorts ports, WatchedCluster cluster, domain::WatchScope scope,
                            std::size_t manifest_bytes) {
  absl::StatusOr<LabelSelector> selector = LabelSelector::parse(scope.selector);
  WB_CO_TRY(selector);
  ApiObjectReader objects(*cluster.api);
  const auto recorder = make_recorder(ports, cluster, scope, objects, manifest_bytes, *std::move(selector));
  const auto started = co_await recorder->start();
  WB_CO_TRY(started);
  kube::Listing listing;
  listing.resource = spark_applications();
  listing.name_space = scope.name_space;
  listing.label_selector = scope.selector;
  kube::ListReader reader(*cluster.api, listing);
  absl::Status status;
  co_await recorder->on_list_begin();
  while (status.ok()) {
    auto item = co_await reader.next();
    if (!item.ok()) {
      status = item.status();
      break;
    }
    if (!item->has_value()) {
      co_await recorder->on_list_end(reader.resource_version());
      break;
    }
    kube::Received received = **std::move(item);
    if (received.dead_letter) {
      kube::DeadLetter unread = *std::move(received.dead_letter);
      co_await recorder->on_dead_letter(std::move(unread));
      continue;
    }
    kube::DeadLetter letter;
    letter.name = kube::name_of(received.object);
    letter.size = received.size;
    const absl::Status taken = co_await recorder->on_item(std::move(received));
    if (taken.ok()) continue;
    letter.reason = message(taken);
    co_await recorder->on_dead_letter(std::move(letter));
  }
  co_await recorder->flush();
  recorder->stop();
  co_await recorder->join();
  co_return status;
}

}  // namespace waybill::history
