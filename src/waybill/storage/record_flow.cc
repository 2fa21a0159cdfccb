#include "waybill/storage/record_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <set>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/storage/job_rows.h"
#include "waybill/storage/record_rows.h"

namespace waybill::storage {
namespace json = boost::json;
namespace {

using RunKey = std::pair<std::string, int>;  // uid and number

// As one text on both databases: for few rows.
Call list_call(std::string query, const json::array& rows) {
  return {std::move(query), {{"rows", json::serialize(rows)}}};
}

Call rows_call(std::string query, json::array rows) {
  Call call{std::move(query), {}};
  call.rows = std::make_shared<const json::array>(std::move(rows));
  return call;
}

Call words_call(std::string query, const std::vector<std::string>& words) {
  return {std::move(query), {{"words", to_json_text(words)}}};
}

// What is left to do of a batch: that of the objects which were written.
struct Work {
  std::vector<const ports::RecordWrite*> fresh;
  std::vector<const ports::RecordWrite*> changed;
  std::vector<std::string> let_go;
  std::set<std::string> jobs;
};

Work work_of(const ports::RecordBatch& batch, const std::set<std::string>& lost) {
  Work work;
  for (const ports::ObjectWrite& write : batch.objects) {
    if (lost.contains(write.object.uid)) continue;
    for (const ports::RecordWrite& record : write.records) {
      (record.is_new ? work.fresh : work.changed).push_back(&record);
      if (!record.let_go.empty()) work.let_go.push_back(record.let_go);
      if (!record.record.gateway_job.empty()) work.jobs.insert(record.record.gateway_job.str());
    }
  }
  std::sort(work.fresh.begin(), work.fresh.end(),
            [](const auto* a, const auto* b) { return a->place < b->place; });
  return work;
}

std::vector<Call> object_calls(const ports::RecordBatch& batch) {
  json::array fresh;
  json::array known;
  for (const ports::ObjectWrite& write : batch.objects) {
    (write.decided_on ? known : fresh).push_back(to_row(write, batch.now));
  }
  std::vector<Call> calls;
  const auto add = [&](const char* query, json::array rows) {
    if (rows.empty()) return;
    calls.push_back(rows_call(query, std::move(rows)));
    calls.back().params.push_back({"cluster", batch.cluster});
  };
  add("update_objects", std::move(known));
  add("insert_objects", std::move(fresh));
  return calls;
}

// What goes with the records, before them: they point to manifests.
std::vector<Call> side_calls(const ports::RecordBatch& batch, const Work& work) {
  std::vector<Call> calls;
  json::array manifests;
  for (const auto& [hash, body] : batch.manifests) manifests.push_back({{"hash", hash}, {"body", body}});
  if (!manifests.empty()) calls.push_back(rows_call("put_manifests", std::move(manifests)));
  json::array changed;
  for (const ports::RecordWrite* write : work.changed) changed.push_back(to_row(write->record));
  if (!changed.empty()) calls.push_back(rows_call("update_records", std::move(changed)));
  if (!work.let_go.empty()) calls.push_back(words_call("loosen_manifests", work.let_go));
  return calls;
}

Call letters_call(const ports::RecordBatch& batch) {
  std::map<std::string, json::object> latest;
  for (const ports::ObjectDeadLetter& letter : batch.dead_letters) {
    latest[letter.subject] = {
        {"subject", letter.subject},      {"scope", letter.scope},
        {"namespace", letter.name_space}, {"name", letter.name},
        {"rv", letter.version},           {"size", static_cast<std::int64_t>(letter.size)},
        {"reason", letter.reason}};
  }
  json::array rows;
  for (auto& [subject, row] : latest) rows.push_back(std::move(row));
  Call call = list_call("put_dead_letters", rows);
  call.params.push_back({"cluster", batch.cluster});
  return call;
}

json::object event_body(const ports::RecordWrite& write, const RecordId& id) {
  const domain::Run& run = write.record.run;
  json::object body;
  body["id"] = id.str();
  if (write.was) body["from"] = domain::to_string(*write.was);
  body["to"] = domain::to_string(run.status);
  body["reason"] = domain::to_string(run.reason);
  body["name"] = run.name;
  body["namespace"] = run.name_space;
  body["cluster"] = run.cluster;
  body["project"] = run.project;
  body["table"] = run.table;
  body["record_type"] = domain::to_string(domain::parse_record_type(run.type_word));
  if (!write.record.gateway_job.empty()) body["job_id"] = write.record.gateway_job.str();
  return body;
}

Call events_call(Batch& batch, const std::vector<std::pair<const ports::RecordWrite*, RecordId>>& told) {
  json::array rows;
  for (const auto& [write, id] : told) {
    rows.push_back({{"n", batch.next_event()},
                    {"subject", id.str()},
                    {"body", json::serialize(event_body(*write, id))}});
    batch.tell({ports::ChangeKind::kEventsAppended, id.str()});
  }
  return rows_call("insert_record_events", std::move(rows));
}

Call cursor_call(const ports::RecordBatch& batch) {
  return {"put_cursor",
          {{"cluster", batch.cluster}, {"scope", batch.cursor_scope->text()}, {"rv", batch.cursor}}};
}

// The number behind `<id>.` of the ids that are taken; the next one is free.
std::int64_t next_suffix(const std::string& wanted, const Rows& taken) {
  std::int64_t most = 1;
  for (const Row& row : taken) {
    const std::string& id = as_text(row[0]);
    std::int64_t number = 0;
    const char* end = id.data() + id.size();
    const auto [stop, problem] = std::from_chars(id.data() + wanted.size() + 1, end, number);
    if (problem == std::errc() && stop == end) most = std::max(most, number);
  }
  return most + 1;
}

Call insert_call(const std::vector<std::pair<const ports::RecordWrite*, std::string>>& wanted) {
  json::array rows;
  for (const auto& [write, id] : wanted) {
    json::object row = to_row(write->record);
    row["id"] = id;
    rows.push_back(std::move(row));
  }
  return rows_call("insert_records", std::move(rows));
}

// '/' is the character after '.'.
Call taken_call(const std::string& wanted) {
  return {"taken_ids", {{"low", wanted + '.'}, {"high", wanted + '/'}}};
}

}  // namespace

Flow<absl::StatusOr<ports::RecordBatchAnswer>> record_flow(
    Batch& batch, std::shared_ptr<const ports::RecordBatch> request) {
  ports::RecordBatchAnswer answer;
  std::set<std::string> lost;
  for (const ports::ObjectWrite& write : request->objects) lost.insert(write.object.uid);
  std::vector<Call> guard = object_calls(*request);
  const std::vector<Rows> written = co_await batch.run(std::move(guard));
  for (const Rows& rows : written) {
    for (const Row& row : rows) lost.erase(as_text(row[0]));
  }
  const Work work = work_of(*request, lost);

  std::vector<Call> sides = side_calls(*request, work);
  const std::vector<Rows> put = co_await batch.run(std::move(sides));
  static_cast<void>(put);

  // Ids are free or they are not; only the database knows.
  std::vector<std::pair<const ports::RecordWrite*, std::string>> wanted;
  for (const ports::RecordWrite* write : work.fresh) wanted.emplace_back(write, write->wanted_id);
  while (!wanted.empty()) {
    std::vector<Call> insert;
    insert.push_back(insert_call(wanted));
    const std::vector<Rows> inserted = co_await batch.run(std::move(insert));
    for (const Row& row : inserted[0]) {
      answer.ids[RunKey(as_text(row[1]), static_cast<int>(as_int(row[2])))] = RecordId(as_text(row[0]));
    }
    std::erase_if(wanted, [&](const auto& one) {
      return answer.ids.contains(RunKey(one.first->record.run.uid, one.first->record.run.number));
    });
    std::vector<Call> look;
    for (const auto& [write, id] : wanted) look.push_back(taken_call(write->wanted_id));
    const std::vector<Rows> taken = co_await batch.run(std::move(look));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const std::string& base = wanted[i].first->wanted_id;
      wanted[i].second = fmt::format("{}.{}", base, next_suffix(base, taken[i]));
    }
  }

  std::vector<std::pair<const ports::RecordWrite*, RecordId>> told;
  for (const ports::RecordWrite* write : work.fresh) {
    told.emplace_back(write, answer.ids.at(RunKey(write->record.run.uid, write->record.run.number)));
  }
  for (const ports::RecordWrite* write : work.changed) {
    if (write->tells) told.emplace_back(write, write->record.run.id);
  }
  std::vector<Call> last;
  if (!told.empty()) last.push_back(events_call(batch, told));
  if (!work.jobs.empty()) {
    last.push_back(words_call("link_jobs", {work.jobs.begin(), work.jobs.end()}));
  }
  if (!request->dead_letters.empty()) last.push_back(letters_call(*request));
  if (request->cursor_scope && lost.empty()) last.push_back(cursor_call(*request));
  const std::vector<Rows> done = co_await batch.run(std::move(last));
  static_cast<void>(done);
  answer.lost.assign(lost.begin(), lost.end());
  co_return answer;
}

Flow<absl::StatusOr<std::size_t>> expire_records_flow(Batch& batch,
                                                      std::shared_ptr<const RecordExpiry> request) {
  std::vector<Call> look;
  look.push_back({"expired_records",
                  {{"before", absl::ToUnixMicros(request->before)},
                   {"most", static_cast<std::int64_t>(request->limit)}}});
  const std::vector<Rows> found = co_await batch.run(std::move(look));
  if (found[0].empty()) co_return std::size_t{0};
  std::vector<std::string> ids;
  std::set<std::pair<std::string, std::string>> objects;
  std::set<std::string> manifests;
  for (const Row& row : found[0]) {
    ids.push_back(as_text(row[0]));
    objects.emplace(as_text(row[1]), as_text(row[2]));
    if (!as_text(row[3]).empty()) manifests.insert(as_text(row[3]));
  }
  json::array keys;
  for (const auto& [cluster, uid] : objects) keys.push_back({{"cluster", cluster}, {"uid", uid}});
  std::vector<Call> remove;
  remove.push_back(words_call("remove_records", ids));
  remove.push_back(words_call("loosen_manifests", {manifests.begin(), manifests.end()}));
  remove.push_back(list_call("remove_gone_objects", keys));
  const std::vector<Rows> removed = co_await batch.run(std::move(remove));
  static_cast<void>(removed);
  co_return ids.size();
}

Flow<absl::StatusOr<std::size_t>> clean_history_flow(Batch& batch,
                                                     std::shared_ptr<const HistoryCleaning> request) {
  const auto most = static_cast<std::int64_t>(request->limit);
  const std::int64_t before = absl::ToUnixMicros(request->loose_before);
  std::vector<Call> look;
  look.push_back(
      {"remove_dead_letters", {{"before", absl::ToUnixMicros(request->letters_before)}, {"most", most}}});
  look.push_back({"loose_manifests", {{"before", before}, {"most", most}}});
  const std::vector<Rows> found = co_await batch.run(std::move(look));
  std::vector<std::string> hashes;
  for (const Row& row : found[1]) hashes.push_back(as_text(row[0]));
  if (hashes.empty()) co_return std::size_t{0};
  std::vector<Call> remove;
  remove.push_back(words_call("tie_manifests", hashes));
  remove.push_back(words_call("remove_manifests", hashes));
  remove.back().params.push_back({"before", before});
  const std::vector<Rows> removed = co_await batch.run(std::move(remove));
  static_cast<void>(removed);
  co_return hashes.size();
}

}  // namespace waybill::storage
