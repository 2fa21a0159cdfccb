#include "waybill/history/decision.h"

#include <algorithm>
#include <utility>

namespace waybill::history {
namespace {

using domain::Record;

constexpr char kJobLabel[] = "waybill.dev/job-id";

const Record* find_number(const std::vector<Record>& records, int number) {
  const auto found = std::find_if(records.begin(), records.end(),
                                  [&](const Record& one) { return one.run.number == number; });
  return found == records.end() ? nullptr : &*found;
}

// What templates read of a run has changed.
bool shows_something_new(const Record& now, const Record* before) {
  if (before == nullptr) return true;
  return now.run.application_id != before->run.application_id || now.run.status != before->run.status ||
         now.run.submission_id != before->run.submission_id || now.driver_pod != before->driver_pod ||
         now.web_ui_address != before->web_ui_address || now.run.end != before->run.end;
}

bool same_object(const KnownObject& a, const KnownObject& b) {
  return a.scope == b.scope && a.version == b.version && a.record_id == b.record_id &&
         a.spec_hash == b.spec_hash && a.submission_id == b.submission_id &&
         a.attempt_time == b.attempt_time && a.gone == b.gone && a.outside == b.outside;
}

}  // namespace

void Decision::add(KnownObject object) {
  const std::string uid = object.uid;
  cases_.insert_or_assign(uid, Case{.before = object, .now = object, .app = std::nullopt, .opened = {}});
}

const KnownObject* Decision::find(const std::string& uid) const {
  const auto found = cases_.find(uid);
  return found == cases_.end() ? nullptr : &found->second.now;
}

bool Decision::is_news(const Application& app, Seen seen) const {
  const KnownObject* known = find(app.uid);
  return known == nullptr || history::is_news(*known, app, seen);
}

void Decision::close_namesakes(const Application& app, absl::Time now) {
  for (auto& [uid, other] : cases_) {
    const KnownObject& object = other.now;
    const bool same_name = object.name == app.name && object.name_space == app.name_space;
    // A late event of the older object proves nothing about the newer one.
    if (same_name && uid != app.uid && !object.gone && object.version < app.version)
      other.now = after_replacement(object, now);
  }
}

void Decision::take(const Application& app, Seen seen, absl::Time now, const std::string& cluster) {
  Case& one = cases_[app.uid];
  const std::vector<Record> before = one.now.records;
  std::optional<KnownObject> known;
  if (!one.now.records.empty()) known = std::move(one.now);
  one.now = after_event(std::move(known), app, seen, now, cluster);
  one.now.scope = scope_;
  one.now.outside = false;
  for (Record& record : one.now.records) {
    record.unwatched_since.reset();
    if (find_number(before, record.run.number) == nullptr)
      one.opened[record.run.number] = {one.now.record_id, openings_++};
  }
  one.app = app;
  if (!app.manifest_hash.empty()) manifests_[app.manifest_hash] = app.manifest;
  render(one, before);
}

void Decision::render(Case& one, const std::vector<Record>& before) {
  if (!render_) return;
  for (Record& record : one.now.records) {
    if (record.run.forgotten) continue;
    if (shows_something_new(record, find_number(before, record.run.number)))
      render_(record, *one.app, !record.run.is_open());
  }
}

void Decision::touch(const std::string& uid) {
  KnownObject& object = cases_.at(uid).now;
  object.scope = scope_;
  object.outside = false;
  for (Record& record : object.records) record.unwatched_since.reset();
}

void Decision::put_outside(const std::string& uid, bool outside) { cases_.at(uid).now.outside = outside; }

void Decision::lose(const std::string& uid, absl::Time now) {
  Case& one = cases_.at(uid);
  one.now = after_loss(std::move(one.now), now);
  one.now.outside = false;
}

void Decision::note_waiting(const std::string& uid, absl::Time now) {
  history::note_waiting(cases_.at(uid).now, now);
}

bool Decision::would_be_open(const Application& app, absl::Time now, const std::string& cluster) const {
  const auto found = cases_.find(app.uid);
  std::optional<KnownObject> known;
  if (found != cases_.end()) known = found->second.now;
  return after_event(std::move(known), app, Seen::kPresent, now, cluster).newest().is_open();
}

std::vector<ports::JobClaim> Decision::claims() const {
  std::vector<ports::JobClaim> claims;
  for (const auto& [uid, one] : cases_) {
    if (!one.app || one.now.records.empty()) continue;
    const Record& newest = one.now.records.back();
    const auto label = one.app->labels.find(kJobLabel);
    if (label == one.app->labels.end() || newest.run.forgotten || !newest.gateway_job.empty()) continue;
    claims.push_back({.uid = uid, .job = JobId(label->second)});
  }
  return claims;
}

void Decision::link(const std::map<std::string, JobId>& jobs) {
  for (const auto& [uid, job] : jobs) cases_.at(uid).now.records.back().gateway_job = job;
}

ports::ObjectWrite Decision::write_of(const Case& one, std::map<std::string, std::string>& manifests) const {
  static const std::vector<Record>& none = *new std::vector<Record>();
  const std::vector<Record>& stored = one.before ? one.before->records : none;
  ports::ObjectWrite write;
  write.object = one.now;
  if (one.before) write.decided_on = one.before->version;
  for (const Record& record : one.now.records) {
    const Record* before = find_number(stored, record.run.number);
    if (record.run.forgotten || (before != nullptr && *before == record)) continue;
    ports::RecordWrite change;
    change.record = record;
    change.is_new = before == nullptr;
    if (before == nullptr || before->manifest != record.manifest) {
      const auto body = manifests_.find(record.manifest);
      if (body != manifests_.end()) manifests.insert(*body);
    }
    if (change.is_new) {
      const Case::Opening& opening = one.opened.at(record.run.number);
      change.wanted_id = opening.wanted_id;
      change.place = opening.place;
    } else {
      change.was = before->run.status;
      change.tells = before->run.status != record.run.status || before->run.reason != record.run.reason;
      if (before->manifest != record.manifest) change.let_go = before->manifest;
    }
    write.records.push_back(std::move(change));
  }
  return write;
}

std::vector<ports::ObjectWrite> Decision::writes(std::map<std::string, std::string>& manifests) const {
  std::vector<ports::ObjectWrite> out;
  for (const auto& [uid, one] : cases_) {
    if (one.now.records.empty()) continue;
    ports::ObjectWrite write = write_of(one, manifests);
    if (write.records.empty() && one.before && same_object(*one.before, one.now)) continue;
    out.push_back(std::move(write));
  }
  return out;
}

}  // namespace waybill::history
