#include "waybill/history/upkeep.h"

#include <map>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/history/decision.h"

namespace waybill::history {
namespace {

constexpr std::size_t kAtOnce = 500;

}  // namespace

Task<absl::Status> Upkeep::note_waiting() {
  auto found = co_await records_.waiting(clock_.now() - kNotAcceptedAfter, kAtOnce);
  WB_CO_TRY(found);
  absl::Status done = co_await change(*std::move(found), Change::kWaiting);
  co_return done;
}

Task<absl::Status> Upkeep::note_unwatched() {
  absl::Status done = co_await records_.note_unwatched(options_.unwatched_after);
  co_return done;
}

Task<absl::Status> Upkeep::close_unwatched() {
  auto found = co_await records_.unwatched(clock_.now() - options_.close_after, kAtOnce);
  WB_CO_TRY(found);
  absl::Status done = co_await change(*std::move(found), Change::kLost);
  co_return done;
}

Task<absl::Status> Upkeep::change(std::vector<domain::KnownObject> objects, Change how) {
  std::map<std::string, std::vector<ports::ObjectKey>> by_cluster;
  for (const domain::KnownObject& object : objects) {
    if (options_.only_cluster && object.cluster != *options_.only_cluster) continue;
    by_cluster[object.cluster].push_back({.uid = object.uid, .name_space = "", .name = ""});
  }
  for (auto& [cluster, keys] : by_cluster) {
    auto loaded = co_await records_.load(cluster, keys);
    WB_CO_TRY(loaded);
    const std::vector<domain::KnownObject> known = *loaded;
    const RenderAttributes nothing;
    Decision decision(*std::move(loaded), nothing);
    for (const domain::KnownObject& object : known) {
      if (how == Change::kWaiting) decision.note_waiting(object.uid, clock_.now());
      if (how == Change::kLost) decision.lose(object.uid, clock_.now());
    }
    ports::RecordBatch batch;
    batch.cluster = cluster;
    batch.objects = decision.writes(batch.manifests);
    batch.now = clock_.now();
    if (batch.objects.empty()) continue;
    // What a watcher changed meanwhile is left as it is and looked at again.
    const auto written = co_await records_.write(std::move(batch));
    WB_CO_TRY(written);
  }
  co_return absl::OkStatus();
}

}  // namespace waybill::history
