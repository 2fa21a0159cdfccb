#include "waybill/history/rules.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "waybill/base/time.h"
#include "waybill/history/arguments.h"
#include "waybill/history/replay.h"
#include "waybill/history/selector.h"

namespace waybill::history {
namespace {

using domain::RecordReason;
using domain::RecordStatus;

absl::Time at(const char* text) { return *parse_time(text); }

// An application as a watch shows it: rv, name and state are what most rules turn on.
Application app(std::uint64_t version, const std::string& state, const std::string& submission = "") {
  Application made;
  made.uid = "u1";
  made.name_space = "jobs";
  made.name = "ingest";
  made.version = version;
  made.labels = {{"caraml.dev/record-id", "r-1"}};
  made.created = at("2025-03-10T08:00:00Z");
  made.spec_hash = "spec-1";
  made.state = state;
  made.submission_id = submission;
  if (!submission.empty()) {
    made.attempt_time = at("2025-03-10T08:00:05Z");
    made.execution_attempts = 1;
  }
  return made;
}

KnownObject running() {
  auto known = after_event(std::nullopt, app(1, ""), Seen::kPresent, at("2025-03-10T08:00:01Z"), "c");
  return after_event(known, app(2, "RUNNING", "s1"), Seen::kPresent, at("2025-03-10T08:00:10Z"), "c");
}

TEST(WantedRecordId, IsTheLabelWithTheSuffixOfAScheduledRunOrTheUid) {
  Application one = app(1, "");
  EXPECT_EQ(wanted_record_id(one), "r-1");
  one.labels["sparkoperator.k8s.io/scheduled-app-name"] = "etl-2024";
  one.name = "etl-2024-1741564800";
  EXPECT_EQ(wanted_record_id(one), "r-1-1741564800");
  one.name = "other-17";  // fallback: what follows the last dash
  EXPECT_EQ(wanted_record_id(one), "r-1-17");
  one.labels.erase("caraml.dev/record-id");
  EXPECT_EQ(wanted_record_id(one), "u1");
}

TEST(IsNews, DropsOlderVersionsAndEqualOnesExceptADeletion) {
  const KnownObject known = running();
  EXPECT_FALSE(is_news(known, app(1, ""), Seen::kDeleted));
  EXPECT_FALSE(is_news(known, app(2, ""), Seen::kPresent));
  EXPECT_TRUE(is_news(known, app(2, ""), Seen::kDeleted));
  EXPECT_TRUE(is_news(known, app(10, ""), Seen::kPresent));  // as numbers: 10 is after 2
}

TEST(Closing, AnObjectMissingFromAListIsLostUnlessItsDriverWasSeenToEnd) {
  const KnownObject lost = after_loss(running(), at("2025-03-10T09:00:00Z"));
  EXPECT_EQ(lost.records[0].run.status, RecordStatus::kError);
  EXPECT_EQ(lost.records[0].run.reason, RecordReason::kLost);
  EXPECT_EQ(lost.records[0].run.end, at("2025-03-10T09:00:00Z"));
  EXPECT_NE(lost.records[0].run.error.find("2025-03-10T08:00:10.000Z in state RUNNING"), std::string::npos);

  Application succeeding = app(3, "SUCCEEDING", "s1");
  succeeding.termination_time = at("2025-03-10T08:30:00Z");
  auto known = after_event(running(), succeeding, Seen::kPresent, at("2025-03-10T08:30:01Z"), "c");
  known = after_loss(known, at("2025-03-10T09:00:00Z"));
  EXPECT_EQ(known.records[0].run.status, RecordStatus::kDone);
  EXPECT_EQ(known.records[0].run.end, at("2025-03-10T08:30:00Z"));
}

TEST(Closing, ATerminationTimeBeforeTheLastAttemptIsNotBelieved) {
  Application failing = app(3, "FAILING", "s1");
  failing.attempt_time = at("2025-03-10T08:20:00Z");
  failing.termination_time = at("2025-03-10T08:10:00Z");  // of an earlier try
  auto known = after_event(running(), failing, Seen::kPresent, at("2025-03-10T08:30:01Z"), "c");
  known = after_loss(known, at("2025-03-10T09:00:00Z"));
  EXPECT_EQ(known.records[0].run.reason, RecordReason::kLost);
}

TEST(Reopening, ALostRunThatIsSeenAgainGoesOnAndASupersededOneDoesNot) {
  auto known = after_loss(running(), at("2025-03-10T09:00:00Z"));
  known = after_event(known, app(9, "RUNNING", "s1"), Seen::kPresent, at("2025-03-10T09:10:00Z"), "c");
  ASSERT_EQ(known.records.size(), 1U);
  EXPECT_TRUE(known.records[0].run.is_open());
  EXPECT_EQ(known.records[0].run.status, RecordStatus::kRunning);
  EXPECT_EQ(known.records[0].run.error, "");

  Application changed = app(10, "RUNNING", "s1");
  changed.spec_hash = "spec-2";
  known = after_event(known, changed, Seen::kPresent, at("2025-03-10T09:20:00Z"), "c");
  ASSERT_EQ(known.records.size(), 2U);
  EXPECT_EQ(known.records[0].run.reason, RecordReason::kSuperseded);
  Application again = app(11, "RUNNING", "s1");
  again.spec_hash = "spec-2";
  known = after_event(known, again, Seen::kPresent, at("2025-03-10T09:21:00Z"), "c");
  EXPECT_EQ(known.records[0].run.reason, RecordReason::kSuperseded);
  EXPECT_EQ(known.records[1].run.status, RecordStatus::kPending);
}

TEST(Superseded, TakesItsOwnOutcomeWhenThatComesLate) {
  Application changed = app(3, "RUNNING", "s1");
  changed.spec_hash = "spec-2";
  auto known = after_event(running(), changed, Seen::kPresent, at("2025-03-10T08:20:00Z"), "c");
  Application completed = app(4, "COMPLETED", "s1");
  completed.spec_hash = "spec-2";
  completed.termination_time = at("2025-03-10T08:19:59Z");
  known = after_event(known, completed, Seen::kPresent, at("2025-03-10T08:20:02Z"), "c");
  EXPECT_EQ(known.records[0].run.status, RecordStatus::kDone);
  EXPECT_EQ(known.records[0].run.end, at("2025-03-10T08:19:59Z"));
  EXPECT_EQ(known.records[0].run.error, "");
  EXPECT_EQ(known.records[1].run.status, RecordStatus::kPending);
}

TEST(Waiting, AChangeThatTheOperatorDoesNotTakeForTenMinutesSaysSo) {
  Application changed = app(3, "COMPLETED", "s1");
  changed.spec_hash = "spec-2";
  auto known = after_event(running(), changed, Seen::kPresent, at("2025-03-10T08:20:00Z"), "c");
  EXPECT_FALSE(note_waiting(known, at("2025-03-10T08:29:59Z")));
  EXPECT_TRUE(note_waiting(known, at("2025-03-10T08:30:00Z")));
  EXPECT_EQ(known.records[1].run.status, RecordStatus::kPending);
  EXPECT_EQ(known.records[1].run.reason, RecordReason::kNotAccepted);
  EXPECT_FALSE(note_waiting(known, at("2025-03-10T08:31:00Z")));
}

TEST(DataWindow, TakesTheFlagsOrTheDaysBeforeTheEndOfTheStartDay) {
  using Words = std::vector<std::string>;
  const absl::Time started = at("2025-03-10T23:50:00Z");
  const domain::DataWindow whole{at("2025-03-09T00:00:00Z"), at("2025-03-10T00:00:00Z")};
  EXPECT_EQ(data_window(Words{"--start", "2025-03-09T00:00:00Z", "--end=2025-03-10T00:00:00Z"}, started),
            whole);
  const domain::DataWindow half{std::nullopt, at("2025-03-10T00:00:00Z")};
  EXPECT_EQ(data_window(Words{"--start", "soon", "--end", "2025-03-10T00:00:00Z"}, started), half);
  // --start is there, though unreadable: the span does not count.
  EXPECT_EQ(data_window(Words{"--start=", "--ingestion-timespan", "2"}, started), domain::DataWindow());
  const domain::DataWindow two_days{at("2025-03-09T00:00:00Z"), at("2025-03-11T00:00:00Z")};
  EXPECT_EQ(data_window(Words{"--ingestion-timespan", "2"}, started), two_days);
  for (const char* bad : {"0", "-1", "1.5", "", "99999999999", "two"}) {
    EXPECT_EQ(data_window(Words{"--ingestion-timespan", bad}, started), domain::DataWindow()) << bad;
  }
}

TEST(LabelSelector, KnowsTheFormsOfKubernetes) {
  const std::map<std::string, std::string> labels = {{"a", "1"}, {"x.dev/b", "two"}};
  const struct {
    const char* text;
    bool matches;
  } cases[] = {{"", true},
               {"a", true},
               {"!a", false},
               {"c", false},
               {"!c", true},
               {"a=1", true},
               {"a==2", false},
               {"a!=2", true},
               {"c!=2", true},
               {"a in (1, 2)", true},
               {"a notin (1,2)", false},
               {"x.dev/b=two,a", true},
               {"a,c", false},
               {"c notin (1)", true}};
  for (const auto& [text, matches] : cases) {
    const auto selector = LabelSelector::parse(text);
    ASSERT_TRUE(selector.ok()) << text;
    EXPECT_EQ(selector->matches(labels), matches) << text;
  }
  for (const char* bad : {"=1", "a in 1", "a,,b", "a b", "-a"}) {
    EXPECT_FALSE(LabelSelector::parse(bad).ok()) << bad;
  }
}

TEST(Replay, AfterExpiryASweepClosesWhatTheNewListLacksAndNothingNewer) {
  const auto event = [](const char* type, const char* name, int version, const char* state) {
    return boost::json::value{{"type", type},
                              {"object",
                               {{"kind", "SparkApplication"},
                                {"metadata",
                                 {{"uid", name},
                                  {"name", name},
                                  {"namespace", "n"},
                                  {"resourceVersion", std::to_string(version)},
                                  {"creationTimestamp", "2025-03-10T08:00:00Z"},
                                  {"labels", {{"caraml.dev/record-id", name}}}}},
                                {"spec", boost::json::object()},
                                {"status", {{"applicationState", {{"state", state}}}}}}}};
  };
  Replay replay(*LabelSelector::parse(kReplaySelector));
  const absl::Time now = at("2025-03-10T09:00:00Z");
  replay.event(event("ADDED", "kept", 5, "RUNNING"), now);
  replay.event(event("ADDED", "missing", 6, "RUNNING"), now);
  replay.event(event("ADDED", "newer", 90, "RUNNING"), now);
  replay.list(
      {{"metadata", {{"resourceVersion", "50"}}}, {"items", {event("", "kept", 5, "RUNNING").at("object")}}},
      now);
  const auto records = replay.result().at("records").as_array();
  EXPECT_EQ(records.at(0).at("status"), "RUNNING");
  EXPECT_EQ(records.at(1).at("reason"), "Lost");
  EXPECT_EQ(records.at(2).at("status"), "RUNNING");
}

}  // namespace
}  // namespace waybill::history
