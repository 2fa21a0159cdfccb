#include "waybill/plugins/kubernetes/object_watch.h"

#include <boost/json.hpp>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/kube/json_access.h"
#include "waybill/kube/object.h"
#include "waybill/kube/watch_event.h"
#include "waybill/plugins/kubernetes/run_kind.h"

namespace waybill::plugins {
namespace json = boost::json;
namespace {

// Whoever still follows a run that was deleted has looked by then.
constexpr absl::Duration kKeepDeleted = absl::Minutes(15);

JobId job_of(const json::object& object) {
  const json::object* metadata = kube::object_at(object, "metadata");
  const json::object* labels = metadata == nullptr ? nullptr : kube::object_at(*metadata, "labels");
  return labels == nullptr ? JobId() : JobId(kube::text_at(*labels, kJobLabel));
}

}  // namespace

ObjectWatch::ObjectWatch(kube::SharedWatches& watches, const kube::WatchKey& key, kube::Api& api,
                         ports::Clock& clock, Keep keep, ports::Nudge nudge)
    : clock_(clock), keep_(std::move(keep)), nudge_(std::move(nudge)), dropped_at_(clock.now()) {
  subscription_ = watches.subscribe(key, api, *this);
}

const ObjectWatch::Seen* ObjectWatch::find(const std::string& uid) const {
  const auto found = objects_.find(uid);
  return found == objects_.end() ? nullptr : &found->second.seen;
}

void ObjectWatch::put(const json::object& object) {
  const kube::ObjectName name = kube::name_of(object);
  const Seen* known = find(name.uid);
  const bool is_news =
      known == nullptr || known->stale || kube::is_lower_version(known->version, name.resource_version);
  if (!is_news || (known != nullptr && known->deleted)) return;
  Entry& entry = objects_[name.uid];
  entry.seen = {};
  entry.seen.kept = keep_(object);
  entry.seen.version = name.resource_version;
  entry.job = job_of(object);
}

void ObjectWatch::put_gone(const std::string& uid) {
  Seen& seen = objects_[uid].seen;
  if (seen.deleted) return;
  seen.deleted = true;
  seen.since = clock_.now();
}

Task<void> ObjectWatch::on_list_begin() {
  listed_.clear();
  list_is_blind_ = false;
  co_return;
}

Task<absl::Status> ObjectWatch::on_item(kube::Received item) {
  listed_.insert(kube::name_of(item.object).uid);
  take(item.object, false);
  co_return absl::OkStatus();
}

Task<void> ObjectWatch::on_list_end(std::string /*resource_version*/) {
  for (auto& [uid, entry] : objects_) {
    if (list_is_blind_ || entry.seen.deleted || entry.seen.stale || listed_.contains(uid)) continue;
    // Gone, or made after the list was read.
    entry.seen.stale = true;
    entry.seen.since = clock_.now();
    nudge_(entry.job);
  }
  listed_.clear();
  co_return;
}

Task<absl::Status> ObjectWatch::on_event(kube::WatchEvent event) {
  take(event.received.object, event.type == kube::EventType::kDeleted);
  co_return absl::OkStatus();
}

Task<void> ObjectWatch::on_bookmark(std::string /*resource_version*/) {
  drop_old();
  co_return;
}

Task<void> ObjectWatch::on_dead_letter(kube::DeadLetter letter) {
  if (letter.name.uid.empty()) list_is_blind_ = true;
  listed_.insert(letter.name.uid);
  co_return;
}

void ObjectWatch::take(const json::object& object, bool deleted) {
  const kube::ObjectName name = kube::name_of(object);
  if (name.uid.empty()) return;
  Entry& entry = objects_[name.uid];
  if (entry.seen.deleted && !deleted) return;
  entry.job = job_of(object);
  entry.seen.kept = keep_(object);
  entry.seen.version = name.resource_version;
  entry.seen.stale = false;
  if (deleted && !entry.seen.deleted) entry.seen.since = clock_.now();
  entry.seen.deleted = deleted;
  drop_old();
  if (!entry.job.empty()) nudge_(entry.job);
}

void ObjectWatch::drop_old() {
  const absl::Time now = clock_.now();
  if (now - dropped_at_ < absl::Minutes(1)) return;
  dropped_at_ = now;
  std::erase_if(objects_, [now](const auto& entry) {
    const Seen& seen = entry.second.seen;
    return (seen.deleted || seen.stale) && now - seen.since > kKeepDeleted;
  });
}

}  // namespace waybill::plugins
