#pragma once

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "waybill/base/json.h"
#include "waybill/ports/record_store.h"
#include "waybill/storage/record_rows.h"

namespace waybill::bench {

// Rows of a table, all with the same columns.
struct PlainRows {
  std::string table;  // ours; the copy has "plain_" before it
  std::string key;
  std::vector<boost::json::object> rows = {};
};

// What a batch comes to. Ids that the database gives are made up from what was asked for.
inline std::vector<PlainRows> plain_rows(const ports::RecordBatch& batch) {
  PlainRows objects{"objects", "cluster, uid"};
  PlainRows records{"records", "cluster, uid, number"};
  PlainRows events{"events", ""};
  PlainRows manifests{"record_manifests", "hash"};
  for (const auto& [hash, body] : batch.manifests) manifests.rows.push_back({{"hash", hash}, {"body", body}});
  for (const ports::ObjectWrite& write : batch.objects) {
    boost::json::object object = storage::to_row(write, batch.now);
    object.erase("decided_on");
    object["cluster"] = batch.cluster;
    objects.rows.push_back(std::move(object));
    for (const ports::RecordWrite& one : write.records) {
      boost::json::object record = storage::to_row(one.record);
      if (one.is_new) record["id"] = one.wanted_id;
      if (one.tells) {
        const boost::json::object body = {{"id", record["id"]},       {"to", "RUNNING"},
                                          {"reason", "Running"},      {"name", record["name"]},
                                          {"cluster", batch.cluster}, {"namespace", record["namespace"]},
                                          {"project", "sample"},      {"table", "driver_quality"}};
        events.rows.push_back({{"type", "record"},
                               {"subject", record["id"]},
                               {"at", absl::ToUnixMicros(batch.now)},
                               {"body", boost::json::serialize(body)}});
      }
      records.rows.push_back(std::move(record));
    }
  }
  return {objects, records, manifests, events};
}

inline std::string join_columns(const boost::json::object& row, const std::string& before,
                                const std::string& after) {
  std::string text;
  for (const auto& [name, value] : row)
    text += (text.empty() ? "" : ", ") + before + std::string(name) + after;
  return text;
}

// "on conflict … do update set a = excluded.a, …", or nothing without a key.
inline std::string on_conflict(const PlainRows& rows) {
  if (rows.key.empty()) return "";
  std::string sets;
  for (const auto& [name, value] : rows.rows.front()) {
    const std::string column(name);
    sets += (sets.empty() ? "" : ", ") + column + " = excluded." + column;
  }
  return " on conflict (" + rows.key + ") do update set " + sets;
}

}  // namespace waybill::bench
