#include "waybill/history/recorder.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <map>
#include <memory>

#include "tests/conformance/record_kit.h"
#include "waybill/history/retention.h"
#include "waybill/history/upkeep.h"

namespace waybill::testing {
namespace {

namespace json = boost::json;
using domain::Record;
using domain::RecordReason;
using domain::RecordStatus;
using history::Recorder;
using ::testing::IsEmpty;

// Objects as an API server would answer them by name.
class FakeCluster : public history::ObjectReader {
 public:
  Task<absl::StatusOr<json::object>> get(std::string name_space, std::string name) override {
    ++reads;
    if (refuses) co_return denied("sparkapplications is forbidden");
    const auto found = objects.find(name_space + '/' + name);
    if (found == objects.end()) co_return not_found("there is no such object");
    co_return found->second;
  }
  std::map<std::string, json::object> objects;
  bool refuses = false;
  int reads = 0;
};

class RecorderTest : public RecordDatabaseTest {
 protected:
  struct App {
    std::string uid;
    int version = 1;
    std::string state = {};
    std::string name = {};  // "" : app-UID
    std::string record_id = "{uid}";
    std::string spec = "one";
  };

  json::object object(const App& app) {
    json::object labels;
    const std::string id = app.record_id == "{uid}" ? "r-" + app.uid : app.record_id;
    if (!id.empty()) labels["caraml.dev/record-id"] = id;
    json::object made = {
        {"apiVersion", "sparkoperator.k8s.io/v1beta2"},
        {"kind", "SparkApplication"},
        {"metadata",
         {{"uid", app.uid},
          {"namespace", "jobs"},
          {"name", app.name.empty() ? "app-" + app.uid : app.name},
          {"resourceVersion", std::to_string(app.version)},
          {"creationTimestamp", "2026-01-01T00:00:00Z"},
          {"labels", labels}}},
        {"spec",
         {{"mainClass", app.spec}, {"driver", {{"env", {{{"name", "PASS"}, {"value", "hunter2"}}}}}}}}};
    if (!app.state.empty()) {
      made["status"] = {{"applicationState", {{"state", app.state}}},
                        {"submissionID", "s-" + app.uid + app.spec},
                        {"lastSubmissionAttemptTime", "2026-01-01T00:00:05Z"},
                        {"terminationTime", nullptr},
                        {"sparkApplicationId", "spark-" + app.uid},
                        {"executionAttempts", 1}};
    }
    return made;
  }

  std::unique_ptr<Recorder> recorder(const std::string& selector = "caraml.dev/record-id") {
    history::RecorderOptions options;
    options.scope = scope_;
    options.scope.selector = selector;
    options.selector = *history::LabelSelector::parse(selector);
    auto made = std::make_unique<Recorder>(history::RecorderPorts{.io = io_.executor(),
                                                                  .records = records(),
                                                                  .clock = clock_,
                                                                  .log = log_,
                                                                  .redactor = redactor_,
                                                                  .objects = &cluster_,
                                                                  .render = render_},
                                           options);
    auto position = wait(made->start());
    EXPECT_THAT(position, IsOk());
    position_ = position.ok() ? *position : "";
    return made;
  }
  void event(Recorder& to, kube::EventType type, json::object what) {
    kube::WatchEvent one;
    one.type = type;
    one.received.object = std::move(what);
    kube::DeadLetter letter;
    letter.name = kube::name_of(one.received.object);
    const absl::Status taken = wait(to.on_event(std::move(one)));
    if (!taken.ok()) {
      letter.reason = message(taken);
      wait(to.on_dead_letter(letter));
    }
  }
  void see(Recorder& to, const App& app) { event(to, kube::EventType::kModified, object(app)); }
  void see_deleted(Recorder& to, const App& app) { event(to, kube::EventType::kDeleted, object(app)); }
  void list(Recorder& to, const std::vector<App>& apps, const std::string& version) {
    wait(to.on_list_begin());
    for (const App& app : apps) {
      kube::Received item;
      item.object = object(app);
      EXPECT_THAT(wait(to.on_item(std::move(item))), IsOk());
    }
    wait(to.on_list_end(version));
  }
  Record get(const std::string& id) {
    auto found = wait(reader().get(RecordId(id)));
    EXPECT_THAT(found, IsOk()) << id;
    return found.ok() ? *std::move(found) : Record();
  }
  RecordReason reason(const std::string& id) { return get(id).run.reason; }

  FakeCluster cluster_;
  Redactor redactor_;
  history::RenderAttributes render_;
  std::string position_;
};
WB_EVERY_BACKEND(RecorderTest);

TEST_P(RecorderTest, ManyEventsOfABatchAreOneRecordAndThePositionGoesWithThem) {
  const auto to = recorder();
  EXPECT_EQ(position_, "");
  see(*to, {.uid = "u1", .version = 3});
  see(*to, {.uid = "u1", .version = 4, .state = "RUNNING"});
  see(*to, {.uid = "u2", .version = 5});
  see(*to, {.uid = "u1", .version = 6, .state = "COMPLETED"});
  wait(to->on_bookmark("9"));
  wait(to->flush());
  EXPECT_EQ(reason("r-u1"), RecordReason::kSucceeded);
  EXPECT_EQ(reason("r-u2"), RecordReason::kSubmitted);
  EXPECT_EQ(*wait(records().cursor(to->scope())), "9");
  const auto again = recorder();
  EXPECT_EQ(position_, "9");
}

TEST_P(RecorderTest, ReflectorPoint20_TheManifestIsKeptOnceAndWithoutSecrets) {
  const auto to = recorder();
  see(*to, {.uid = "u1", .version = 3});
  wait(to->flush());
  const Record record = get("r-u1");
  const auto manifests = wait(reader().manifests({record.manifest}));
  ASSERT_THAT(manifests, IsOk());
  const std::string text = json::serialize(manifests->at(record.manifest));
  EXPECT_EQ(text.find("hunter2"), std::string::npos);
  EXPECT_NE(text.find("***"), std::string::npos);
  EXPECT_EQ(text.find("resourceVersion"), std::string::npos);
  EXPECT_EQ(sql("select count(*) from objects where spec_hash like '%hunter2%'"), "0\n");
}

TEST_P(RecorderTest, TwoThatClaimOneIdInABatchGetItInTheOrderTheyCame) {
  const auto to = recorder();
  see(*to, {.uid = "z", .version = 3, .record_id = "same"});
  see(*to, {.uid = "a", .version = 4, .record_id = "same"});
  wait(to->flush());
  EXPECT_EQ(get("same").run.uid, "z");
  EXPECT_EQ(get("same.2").run.uid, "a");
}

TEST_P(RecorderTest, WhatACompleteListLacksIsReadByNameBeforeItIsLost) {
  const auto to = recorder();
  for (const char* uid : {"gone", "other", "left", "stays"})
    see(*to, {.uid = uid, .version = 3, .state = "RUNNING"});
  see(*to, {.uid = "ended", .version = 4, .state = "COMPLETED"});
  see(*to, {.uid = "newer", .version = 30, .state = "RUNNING"});
  wait(to->flush());
  cluster_.objects["jobs/app-other"] = object({.uid = "successor", .version = 9, .name = "app-other"});
  cluster_.objects["jobs/app-left"] =
      object({.uid = "left", .version = 9, .state = "RUNNING", .record_id = ""});
  list(*to, {{.uid = "stays", .version = 3, .state = "RUNNING"}}, "20");
  EXPECT_EQ(reason("r-gone"), RecordReason::kLost);
  EXPECT_EQ(reason("r-other"), RecordReason::kLost) << "another uid has its name";
  EXPECT_EQ(reason("r-left"), RecordReason::kRunning) << "it only left the selection";
  EXPECT_EQ(reason("r-stays"), RecordReason::kRunning);
  EXPECT_EQ(reason("r-ended"), RecordReason::kSucceeded);
  EXPECT_EQ(reason("r-newer"), RecordReason::kRunning) << "the list is older";
  EXPECT_EQ(cluster_.reads, 3);
  EXPECT_EQ(to->metrics().lost, 2U);
  EXPECT_EQ(*wait(records().cursor(to->scope())), "20");

  cluster_.objects["jobs/app-left"] =
      object({.uid = "left", .version = 12, .state = "COMPLETED", .record_id = ""});
  wait(to->read_outside());
  EXPECT_EQ(reason("r-left"), RecordReason::kSucceeded);
  const int reads = cluster_.reads;
  wait(to->read_outside());
  EXPECT_EQ(cluster_.reads, reads) << "it ended: nobody reads it any more";
}

TEST_P(RecorderTest, ARunThatASweepClosesKeepsItsAttributes) {
  render_ = [](Record& record, const history::Application& app, bool) {
    record.attributes["Logs"] = {domain::AttributeKind::kLink, domain::AttributeShow::kAlways,
                                 "https://logs.example.com/" + app.application_id, 0};
  };
  const auto watcher = recorder();
  see(*watcher, {.uid = "a", .version = 5, .state = "RUNNING"});
  list(*watcher, {}, "10");
  EXPECT_EQ(reason("r-a"), RecordReason::kLost);
  EXPECT_EQ(get("r-a").attributes.at("Logs").value, "https://logs.example.com/spark-a");
}

TEST_P(RecorderTest, ARefusedReadingLeavesTheRunOpenUntilItIsKnown) {
  const auto to = recorder();
  see(*to, {.uid = "u1", .version = 3, .state = "RUNNING"});
  wait(to->flush());
  cluster_.refuses = true;
  list(*to, {}, "20");
  EXPECT_EQ(reason("r-u1"), RecordReason::kRunning);
  wait(to->read_outside());
  EXPECT_EQ(reason("r-u1"), RecordReason::kRunning);
  cluster_.refuses = false;
  wait(to->read_outside());
  EXPECT_EQ(reason("r-u1"), RecordReason::kLost);
}

TEST_P(RecorderTest, AListThatWasGivenUpConcludesNothing) {
  const auto to = recorder();
  see(*to, {.uid = "u1", .version = 3, .state = "RUNNING"});
  wait(to->on_list_begin());
  list(*to, {{.uid = "u1", .version = 3, .state = "RUNNING"}}, "20");
  EXPECT_EQ(reason("r-u1"), RecordReason::kRunning);
}

TEST_P(RecorderTest, AnObjectPutAsideCountsAsThere) {
  const auto to = recorder();
  see(*to, {.uid = "u1", .version = 3, .state = "RUNNING"});
  see(*to, {.uid = "u2", .version = 4, .state = "RUNNING"});
  wait(to->flush());
  wait(to->on_list_begin());
  kube::DeadLetter letter;
  letter.name = {.uid = "u1", .name_space = "jobs", .name = "app-u1", .resource_version = ""};
  letter.reason = "too large";
  wait(to->on_dead_letter(letter));
  letter.name = {.uid = "", .name_space = "jobs", .name = "app-u2", .resource_version = ""};
  wait(to->on_dead_letter(letter));
  wait(to->on_list_end("20"));
  EXPECT_EQ(reason("r-u1"), RecordReason::kRunning);
  EXPECT_EQ(reason("r-u2"), RecordReason::kRunning);
  EXPECT_EQ(sql("select count(*) from dead_letters"), "2\n");
}

TEST_P(RecorderTest, AnotherScopesObjectsAreNotSwept) {
  const auto to = recorder();
  see(*to, {.uid = "u1", .version = 3, .state = "RUNNING"});
  wait(to->flush());
  const auto other = recorder("team=x");
  list(*other, {}, "20");
  EXPECT_EQ(reason("r-u1"), RecordReason::kRunning);
  // The same object under another selector belongs to that scope from then on.
  const auto all = recorder("");
  list(*all, {{.uid = "u1", .version = 3, .state = "RUNNING"}}, "21");
  list(*to, {}, "22");
  EXPECT_EQ(reason("r-u1"), RecordReason::kRunning);
  list(*all, {}, "23");
  EXPECT_EQ(reason("r-u1"), RecordReason::kLost);
}

TEST_P(RecorderTest, ADeletionByASelectorsWatchIsCheckedByName) {
  const auto to = recorder();
  see(*to, {.uid = "left", .version = 3, .state = "RUNNING"});
  see(*to, {.uid = "gone", .version = 4, .state = "RUNNING"});
  cluster_.objects["jobs/app-left"] =
      object({.uid = "left", .version = 9, .state = "RUNNING", .record_id = ""});
  see_deleted(*to, {.uid = "left", .version = 9, .state = "RUNNING"});
  see_deleted(*to, {.uid = "gone", .version = 10, .state = "RUNNING"});
  wait(to->flush());
  EXPECT_EQ(reason("r-left"), RecordReason::kRunning);
  EXPECT_EQ(reason("r-gone"), RecordReason::kDeleted);
}

TEST_P(RecorderTest, ABadObjectIsPutAsideAndTheStreamGoesOn) {
  const auto to = recorder();
  json::object bad = object({.uid = "bad", .version = 3});
  bad["metadata"].as_object()["resourceVersion"] = "abc";
  event(*to, kube::EventType::kAdded, bad);
  see(*to, {.uid = "u1", .version = 4});
  event(*to, kube::EventType::kAdded, {{"kind", "Pod"}});
  wait(to->flush());
  EXPECT_EQ(reason("r-u1"), RecordReason::kSubmitted);
  EXPECT_EQ(sql("select subject from dead_letters"), "bad\n");
  EXPECT_EQ(*wait(records().cursor(to->scope())), "4");
}

TEST_P(RecorderTest, WhatTheDatabaseRefusesIsADeadLetterThatCommitsWithThePosition) {
  const auto to = recorder();
  render_ = [](Record& record, const history::Application& app, bool) {
    if (app.uid == "bad") record.run.status = static_cast<RecordStatus>(9);
  };
  const auto strict = recorder();
  see(*strict, {.uid = "u1", .version = 3});
  see(*strict, {.uid = "bad", .version = 4});
  see(*strict, {.uid = "u2", .version = 5});
  wait(strict->flush());
  EXPECT_EQ(reason("r-u1"), RecordReason::kSubmitted);
  EXPECT_EQ(reason("r-u2"), RecordReason::kSubmitted);
  EXPECT_EQ(sql("select subject from dead_letters"), "bad\n");
  EXPECT_EQ(*wait(records().cursor(strict->scope())), "5");
}

TEST_P(RecorderTest, TimeAloneSaysThatAChangeWasNotAccepted) {
  const auto to = recorder();
  see(*to, {.uid = "u1", .version = 3, .state = "COMPLETED"});
  App changed = {.uid = "u1", .version = 4, .state = "COMPLETED", .record_id = "next"};
  json::object update = object(changed);
  update["spec"].as_object()["mainClass"] = "two";
  event(*to, kube::EventType::kModified, update);
  wait(to->flush());
  history::Upkeep upkeep(records(), clock_, {});
  ASSERT_THAT(wait(upkeep.note_waiting()), IsOk());
  EXPECT_EQ(reason("next"), RecordReason::kSubmitted);
  advance(absl::Minutes(10));
  ASSERT_THAT(wait(upkeep.note_waiting()), IsOk());
  EXPECT_EQ(reason("next"), RecordReason::kNotAccepted);
  EXPECT_EQ(get("next").run.status, RecordStatus::kPending);
}

TEST_P(RecorderTest, RunsThatNothingCanWatchAreClosedInTheEnd) {
  const auto to = recorder();
  see(*to, {.uid = "u1", .version = 3, .state = "RUNNING"});
  wait(to->flush());
  history::Upkeep upkeep(records(), clock_, {.close_after = absl::Hours(24)});
  ASSERT_THAT(wait(upkeep.note_unwatched()), IsOk());
  advance(absl::Hours(23));
  ASSERT_THAT(wait(upkeep.close_unwatched()), IsOk());
  EXPECT_EQ(reason("r-u1"), RecordReason::kRunning);
  advance(absl::Hours(1));
  ASSERT_THAT(wait(upkeep.close_unwatched()), IsOk());
  EXPECT_EQ(reason("r-u1"), RecordReason::kLost);
}

TEST_P(RecorderTest, AnObjectThatOutlivesItsRecordIsNotRecordedAnew) {
  const auto to = recorder();
  see(*to, {.uid = "u1", .version = 3, .state = "COMPLETED"});
  wait(to->flush());
  advance(absl::Hours(24 * 10));
  history::Retention retention(io_.executor(), records(), clock_, log_, absl::Hours(24 * 5));
  wait(retention.clean());
  EXPECT_EQ(sql("select count(*) from records"), "0\n");
  see(*to, {.uid = "u1", .version = 7, .state = "COMPLETED"});
  list(*to, {{.uid = "u1", .version = 7, .state = "COMPLETED"}}, "20");
  EXPECT_EQ(sql("select count(*) from records"), "0\n");
  // A new run of it is recorded, with the next number.
  see(*to, {.uid = "u1", .version = 25, .state = "RUNNING", .record_id = "next", .spec = "two"});
  wait(to->flush());
  EXPECT_EQ(get("next").run.number, 2);
}

}  // namespace
}  // namespace waybill::testing
