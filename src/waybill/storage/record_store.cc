#include "waybill/storage/record_store.h"

#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "waybill/base/hex.h"
#include "waybill/base/status.h"
#include "waybill/storage/calls.h"
#include "waybill/storage/job_rows.h"
#include "waybill/storage/record_flow.h"
#include "waybill/storage/record_rows.h"

namespace waybill::storage {
namespace json = boost::json;
namespace {

using domain::KnownObject;

Params of_scope(const domain::WatchScope& scope) {
  return {{"cluster", scope.cluster}, {"scope", scope.text()}};
}

std::string random_key() {
  std::array<unsigned char, 32> bytes{};
  RAND_bytes(bytes.data(), static_cast<int>(bytes.size()));
  return hex_of(bytes);
}

std::vector<Call> load_calls(const std::string& cluster, const std::vector<ports::ObjectKey>& keys) {
  std::vector<std::string> uids;
  json::array names;
  for (const ports::ObjectKey& key : keys) {
    if (!key.uid.empty()) uids.push_back(key.uid);
    if (!key.name.empty()) names.push_back({{"namespace", key.name_space}, {"name", key.name}});
  }
  return {{"load_objects", {{"cluster", cluster}, {"words", to_json_text(uids)}}},
          {"load_namesakes", {{"cluster", cluster}, {"rows", json::serialize(names)}}}};
}

// A run whose record retention removed: closed for good, and with the number that the next one counts on.
domain::Record forgotten(const KnownObject& object, int number) {
  domain::Record record;
  record.run.cluster = object.cluster;
  record.run.uid = object.uid;
  record.run.number = number;
  record.run.submission_id = object.submission_id;
  record.run.has_outcome = true;
  record.run.end = absl::UnixEpoch();
  record.run.forgotten = true;
  return record;
}

absl::Status add_records(Session& session, const std::string& cluster,
                         std::map<std::string, ObjectRow>& found) {
  std::vector<std::string> uids;
  for (const auto& [uid, object] : found) uids.push_back(uid);
  WB_ASSIGN(const Rows rows,
            run_one(session, {"load_records", {{"cluster", cluster}, {"words", to_json_text(uids)}}}));
  for (const Row& row : rows) {
    WB_ASSIGN(domain::Record record, record_of(row));
    found[record.run.uid].object.records.push_back(std::move(record));
  }
  for (auto& [uid, row] : found) {
    auto& records = row.object.records;
    std::sort(records.begin(), records.end(),
              [](const domain::Record& a, const domain::Record& b) { return a.run.number < b.run.number; });
    const bool has_newest = !records.empty() && records.back().run.number == row.run_number;
    if (!has_newest && row.run_number > 0) records.push_back(forgotten(row.object, row.run_number));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<KnownObject>> load_objects(Session& session, const std::string& cluster,
                                                      const std::vector<ports::ObjectKey>& keys) {
  const std::vector<Call> calls = load_calls(cluster, keys);
  WB_ASSIGN(const std::vector<Rows> answers, session.run(calls));
  std::map<std::string, ObjectRow> found;
  for (const Rows& rows : answers) {
    for (const Row& row : rows) {
      ObjectRow object = object_of(row);
      const std::string uid = object.object.uid;
      found.insert_or_assign(uid, std::move(object));
    }
  }
  std::vector<KnownObject> objects;
  if (found.empty()) return objects;
  WB_TRY(add_records(session, cluster, found));
  for (auto& [uid, row] : found) objects.push_back(std::move(row.object));
  return objects;
}

}  // namespace

Task<absl::StatusOr<std::string>> SqlRecordStore::spec_key() {
  Call look{"get_history_key", {}};
  const absl::StatusOr<Rows> known = co_await read_rows(reader_, look);
  WB_CO_TRY(known);
  if (!known->empty()) co_return as_text(known->front()[0]);
  std::vector<Call> calls;
  calls.push_back({"make_history_key", {{"key", random_key()}}});
  calls.push_back(look);
  const auto made = co_await write_calls(writer_, std::move(calls));
  WB_CO_TRY(made);
  co_return as_text((*made)[1].front()[0]);
}

Task<absl::StatusOr<std::string>> SqlRecordStore::cursor(domain::WatchScope scope) {
  Call call{"get_cursor", of_scope(scope)};
  const absl::StatusOr<Rows> rows = co_await read_rows(reader_, std::move(call));
  WB_CO_TRY(rows);
  co_return rows->empty() ? std::string() : as_text(rows->front()[0]);
}

Task<absl::StatusOr<std::vector<KnownObject>>> SqlRecordStore::load(std::string cluster,
                                                                    std::vector<ports::ObjectKey> keys) {
  auto work = [cluster = std::move(cluster), keys = std::move(keys)](Session& session) {
    return load_objects(session, cluster, keys);
  };
  absl::StatusOr<std::vector<KnownObject>> objects = co_await reader_.run(std::move(work));
  co_return objects;
}

Task<absl::StatusOr<ports::RecordBatchAnswer>> SqlRecordStore::write(ports::RecordBatch batch) {
  auto request = std::make_shared<const ports::RecordBatch>(std::move(batch));
  std::function<Flow<absl::StatusOr<ports::RecordBatchAnswer>>(Batch&)> make = [request](Batch& group) {
    return record_flow(group, request);
  };
  absl::StatusOr<ports::RecordBatchAnswer> answer =
      co_await writer_.run<ports::RecordBatchAnswer>(std::move(make));
  co_return answer;
}

Task<absl::StatusOr<std::vector<KnownObject>>> SqlRecordStore::objects(Call call) {
  const absl::StatusOr<Rows> rows = co_await read_rows(reader_, std::move(call));
  WB_CO_TRY(rows);
  std::vector<KnownObject> found;
  for (const Row& row : *rows) found.push_back(object_of(row).object);
  co_return found;
}

Task<absl::StatusOr<std::vector<KnownObject>>> SqlRecordStore::present(domain::WatchScope scope,
                                                                       std::uint64_t version,
                                                                       std::string after, std::size_t limit) {
  Call call{"present_objects", of_scope(scope)};
  call.params.push_back({"version", static_cast<std::int64_t>(version)});
  call.params.push_back({"after", std::move(after)});
  call.params.push_back({"most", static_cast<std::int64_t>(limit)});
  absl::StatusOr<std::vector<KnownObject>> found = co_await objects(std::move(call));
  co_return found;
}

Task<absl::StatusOr<std::vector<KnownObject>>> SqlRecordStore::outside(domain::WatchScope scope,
                                                                       std::string after, std::size_t limit) {
  Call call{"outside_objects", of_scope(scope)};
  call.params.push_back({"after", std::move(after)});
  call.params.push_back({"most", static_cast<std::int64_t>(limit)});
  absl::StatusOr<std::vector<KnownObject>> found = co_await objects(std::move(call));
  co_return found;
}

Task<absl::StatusOr<std::vector<KnownObject>>> SqlRecordStore::waiting(absl::Time opened_before,
                                                                       std::size_t limit) {
  Call call{"waiting_objects",
            {{"before", absl::ToUnixMicros(opened_before)}, {"most", static_cast<std::int64_t>(limit)}}};
  absl::StatusOr<std::vector<KnownObject>> found = co_await objects(std::move(call));
  co_return found;
}

Task<absl::Status> SqlRecordStore::note_unwatched(absl::Duration patience) {
  const std::int64_t patience_us = absl::ToInt64Microseconds(patience);
  std::vector<Call> calls;
  calls.push_back({"note_watched_again", {{"patience_us", patience_us}}});
  calls.push_back({"note_unwatched", {{"patience_us", patience_us}}});
  const auto done = co_await write_calls(writer_, std::move(calls));
  co_return done.status();
}

Task<absl::StatusOr<std::vector<KnownObject>>> SqlRecordStore::unwatched(absl::Time since,
                                                                         std::size_t limit) {
  Call call{"unwatched_objects",
            {{"since", absl::ToUnixMicros(since)}, {"most", static_cast<std::int64_t>(limit)}}};
  absl::StatusOr<std::vector<KnownObject>> found = co_await objects(std::move(call));
  co_return found;
}

Task<absl::StatusOr<std::map<std::string, JobId>>> SqlRecordStore::started_by(
    std::vector<ports::JobClaim> claims) {
  std::map<std::string, JobId> found;
  if (claims.empty()) co_return found;
  json::array lines;
  for (const ports::JobClaim& claim : claims) {
    json::object line;
    line["uid"] = claim.uid;
    line["job"] = claim.job.str();
    lines.push_back(std::move(line));
  }
  Call call{"started_by", {{"rows", json::serialize(lines)}}};
  const absl::StatusOr<Rows> rows = co_await read_rows(reader_, std::move(call));
  WB_CO_TRY(rows);
  for (const Row& row : *rows) found.emplace(as_text(row[0]), JobId(as_text(row[1])));
  co_return found;
}

Task<absl::StatusOr<bool>> SqlRecordStore::take_lease(domain::WatchScope scope, InstanceId holder,
                                                      absl::Duration lease, bool watching) {
  std::vector<Call> calls;
  calls.push_back({"take_watch_lease", of_scope(scope)});
  calls.back().params.push_back({"holder", holder.str()});
  calls.back().params.push_back({"lease_us", absl::ToInt64Microseconds(lease)});
  calls.back().params.push_back({"watching", std::int64_t{watching ? 1 : 0}});
  const auto rows = co_await write_calls(writer_, std::move(calls));
  WB_CO_TRY(rows);
  co_return !rows->front().empty();
}

Task<absl::Status> SqlRecordStore::give_lease(domain::WatchScope scope, InstanceId holder) {
  std::vector<Call> calls;
  calls.push_back({"give_watch_lease", of_scope(scope)});
  calls.back().params.push_back({"holder", holder.str()});
  const auto done = co_await write_calls(writer_, std::move(calls));
  co_return done.status();
}

Task<absl::StatusOr<std::size_t>> SqlRecordStore::expire(absl::Time before, std::size_t limit) {
  auto request = std::make_shared<const RecordExpiry>(RecordExpiry{before, limit});
  std::function<Flow<absl::StatusOr<std::size_t>>(Batch&)> make = [request](Batch& group) {
    return expire_records_flow(group, request);
  };
  absl::StatusOr<std::size_t> removed = co_await writer_.run<std::size_t>(std::move(make));
  co_return removed;
}

Task<absl::Status> SqlRecordStore::clean(absl::Time loose_before, absl::Time letters_before,
                                         std::size_t limit) {
  auto request =
      std::make_shared<const HistoryCleaning>(HistoryCleaning{loose_before, letters_before, limit});
  std::function<Flow<absl::StatusOr<std::size_t>>(Batch&)> make = [request](Batch& group) {
    return clean_history_flow(group, request);
  };
  const absl::StatusOr<std::size_t> removed = co_await writer_.run<std::size_t>(std::move(make));
  co_return removed.status();
}

}  // namespace waybill::storage
