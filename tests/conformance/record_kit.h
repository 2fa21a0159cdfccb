#pragma once

#include <string>
#include <utility>

#include "tests/conformance/fixture.h"
#include "waybill/ports/record_store.h"

namespace waybill::testing {

// Records as a watcher writes them.
class RecordDatabaseTest : public DatabaseTest {
 protected:
  ports::RecordStore& records() { return db().records(); }
  ports::RecordReader& reader() { return db().record_reader(); }

  // An object with one open run, not stored.
  domain::KnownObject object(const std::string& uid, std::uint64_t version = 1) {
    domain::KnownObject known;
    known.cluster = "spark";
    known.uid = uid;
    known.name_space = "jobs";
    known.name = "app-" + uid;
    known.scope = scope_.text();
    known.version = version;
    known.record_id = "r-" + uid;
    known.spec_hash = "spec";
    known.records.push_back(record(known, 1));
    return known;
  }

  domain::Record record(const domain::KnownObject& known, int number) {
    domain::Record made;
    domain::Run& run = made.run;
    run.cluster = known.cluster;
    run.uid = known.uid;
    run.number = number;
    run.name_space = known.name_space;
    run.name = known.name;
    run.start = clock_.now();
    run.opened_at = clock_.now();
    run.seen_at = clock_.now();
    run.project = "search";
    run.table = "drivers";
    run.type_word = "BATCH_INGESTION_JOB";
    return made;
  }

  static void end(domain::Run& run, absl::Time at, domain::RecordStatus status = domain::RecordStatus::kDone,
                  domain::RecordReason reason = domain::RecordReason::kSucceeded) {
    run.status = status;
    run.reason = reason;
    run.has_outcome = reason == domain::RecordReason::kSucceeded || reason == domain::RecordReason::kFailed;
    run.end = at;
  }

  // The write of an object as it is now: records without an id are new.
  static ports::ObjectWrite write_of(const domain::KnownObject& known,
                                     std::optional<std::uint64_t> decided_on) {
    ports::ObjectWrite write{.object = known, .decided_on = decided_on, .records = {}};
    for (const domain::Record& one : known.records) {
      ports::RecordWrite of_record{.record = one, .is_new = one.run.id.empty(), .wanted_id = known.record_id};
      if (!of_record.is_new) of_record.was = domain::RecordStatus::kPending;
      write.records.push_back(std::move(of_record));
    }
    return write;
  }

  ports::RecordBatch batch(std::vector<ports::ObjectWrite> writes) {
    ports::RecordBatch made;
    made.cluster = "spark";
    made.objects = std::move(writes);
    made.now = clock_.now();
    return made;
  }

  // Stores a new object and gives its records their ids.
  domain::KnownObject store(domain::KnownObject known) {
    auto answer = wait(records().write(batch({write_of(known, std::nullopt)})));
    EXPECT_THAT(answer, IsOk());
    if (!answer.ok()) return known;
    for (domain::Record& one : known.records) one.run.id = answer->ids[{known.uid, one.run.number}];
    return known;
  }

  domain::KnownObject load(const std::string& uid) {
    auto found = wait(records().load("spark", {{.uid = uid, .name_space = "", .name = ""}}));
    EXPECT_THAT(found, IsOk());
    if (!found.ok() || found->empty()) return {};
    return found->front();
  }

  domain::WatchScope scope_{.cluster = "spark", .name_space = "jobs", .selector = "caraml.dev/record-id"};
};

}  // namespace waybill::testing
