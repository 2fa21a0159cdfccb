#include "waybill/history/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <string_view>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/base/time.h"
#include "waybill/kube/watch_event.h"

namespace waybill::history {
namespace json = boost::json;
namespace {

const json::value* find(const json::value& from, std::initializer_list<std::string_view> path) {
  const json::value* at = &from;
  for (const std::string_view name : path) {
    const json::object* object = at->if_object();
    at = object == nullptr ? nullptr : object->if_contains(name);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::string text(const json::value& from, std::initializer_list<std::string_view> path) {
  const json::value* value = find(from, path);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::uint64_t version_of(const json::value& from) {
  const std::string written = text(from, {"metadata", "resourceVersion"});
  std::uint64_t version = 0;
  std::from_chars(written.data(), written.data() + written.size(), version);
  return version;
}

// Whole seconds, as the API server writes its own times.
json::value shown(std::optional<absl::Time> time) {
  if (!time) return nullptr;
  return json::string(absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", *time, absl::UTCTimeZone()));
}

json::value shown(const std::string& text) { return text.empty() ? json::value() : json::value(text); }

}  // namespace

void Replay::event(const json::value& event, absl::Time now) {
  for (auto& [uid, known] : objects_) note_waiting(known, now);
  const std::string type = text(event, {"type"});
  const json::value* subject = find(event, {"object"});
  if (subject == nullptr) return;
  if (const std::optional<kube::EventType> known = kube::event_type(type)) {
    object(*subject, *known == kube::EventType::kDeleted ? Seen::kDeleted : Seen::kPresent, now);
  }
  const bool is_bookmark = type == "BOOKMARK" && subject->is_object();
  if (is_bookmark && kube::ends_initial_events(subject->get_object())) sweep(version_of(*subject), now);
  const json::value* code = find(*subject, {"code"});
  if (type == "ERROR" && code != nullptr && *code == 410) listed_.clear();
}

void Replay::list(const json::value& list, absl::Time now) {
  listed_.clear();
  if (const json::value* items = find(list, {"items"}); items != nullptr && items->is_array()) {
    for (const json::value& item : items->get_array()) {
      json::value whole = item;  // the items of a typed list carry no kind
      if (whole.is_object()) whole.get_object().emplace("kind", "SparkApplication");
      object(whole, Seen::kPresent, now);
    }
  }
  sweep(version_of(list), now);
}

void Replay::object(const json::value& object, Seen seen, absl::Time now) {
  const auto app = read_application(object);
  if (!app.ok()) {
    // A dead letter is still there: it must not count as gone.
    if (absl::IsInvalidArgument(app.status())) listed_.insert(text(object, {"metadata", "uid"}));
    return;
  }
  const auto known = objects_.find(app->uid);
  if (known == objects_.end() && !selector_.matches(app->labels)) return;
  listed_.insert(app->uid);
  if (known != objects_.end() && !is_news(known->second, *app, seen)) return;
  close_namesakes(*app, now);
  std::optional<KnownObject> before;
  if (known != objects_.end()) before = known->second;
  keep(after_event(std::move(before), *app, seen, now, "replay"));
}

void Replay::close_namesakes(const Application& app, absl::Time now) {
  for (auto& [uid, other] : objects_) {
    const bool same_name = other.name == app.name && other.name_space == app.name_space;
    // A late event of the older object proves nothing about the newer one.
    if (same_name && uid != app.uid && !other.gone && other.version < app.version)
      keep(after_replacement(other, now));
  }
}

void Replay::sweep(std::uint64_t version, absl::Time now) {
  for (auto& [uid, known] : objects_) {
    if (!known.gone && !listed_.contains(uid) && known.version <= version) keep(after_loss(known, now));
  }
}

void Replay::keep(KnownObject known) {
  for (domain::Record& record : known.records) {
    domain::Run& run = record.run;
    if (!run.id.empty()) continue;
    run.id = RecordId(allot(known.record_id));
    order_.emplace_back(known.uid, run.number);
  }
  const std::string uid = known.uid;
  objects_.insert_or_assign(uid, std::move(known));
}

std::string Replay::allot(const std::string& wanted) {
  std::string id = wanted;
  for (int n = 2; !ids_.insert(id).second; ++n) id = fmt::format("{}.{}", wanted, n);
  return id;
}

json::object Replay::result() const {
  std::vector<const domain::Run*> runs;
  for (const auto& [uid, number] : order_) {
    const auto& records = objects_.at(uid).records;
    const auto record = std::find_if(records.begin(), records.end(),
                                     [&](const domain::Record& r) { return r.run.number == number; });
    runs.push_back(&record->run);
  }
  return replay_result(runs);
}

json::object replay_result(const std::vector<const domain::Run*>& runs) {
  json::array records;
  json::array params;
  for (const domain::Run* run : runs) {
    params.push_back({{"record", records.size()},
                      {"start_time_param", shown(run->window.from)},
                      {"end_time_param", shown(run->window.to)}});
    records.push_back({{"id", run->id.str()},
                       {"job_id", run->name},
                       {"status", domain::to_string(run->status)},
                       {"reason", domain::to_string(run->reason)},
                       {"job_start_time", shown(run->start)},
                       {"job_end_time", shown(run->end)},
                       {"attempts", run->attempts},
                       {"error", shown(run->error)},
                       {"spark_application_id", shown(run->application_id)}});
  }
  return {{"records", std::move(records)}, {"params", std::move(params)}};
}

}  // namespace waybill::history
