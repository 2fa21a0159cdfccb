#include "waybill/domain/job_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "waybill/base/status.h"

namespace waybill::domain {
namespace {

using S = JobStatus;

const absl::Time kNow = absl::FromUnixSeconds(1'780'000'000);
const absl::Time kBefore = kNow - absl::Minutes(5);
const absl::Time kLater = kNow + absl::Seconds(2);

// A job as it looks in that status.
JobState state_of(S status) {
  JobState state;
  state.status = status;
  state.attempt = 2;
  state.epoch = 7;
  if (status == S::kNew) return state;
  if (!is_final(status)) {
    state.owner = InstanceId("a");
    state.host = "host-a";
  }
  if (status != S::kAccepted) {
    state.handle = "run-1";
    state.started_at = kBefore;
  }
  if (is_final(status)) state.finished_at = kBefore;
  return state;
}

struct Change {
  const char* name;
  JobChange change;
};

std::vector<Change> all_changes() {
  return {{"leased", Leased{InstanceId("b"), "host-b"}},
          {"start called", StartCalled{}},
          {"started", Started{"run-2"}},
          {"succeeded", Finished{true, ""}},
          {"failed", Finished{false, "exit status 3"}},
          {"cancel", CancelRequested{"alice", false}},
          {"cancel in start", CancelRequested{"alice", true}},
          {"confirmed", CancelConfirmed{}},
          {"ended", Ended{EndReason::kTimeout, "it took too long"}},
          {"requeued", Requeued{EndReason::kLost, kLater, true, "gone"}},
          {"given back", Requeued{EndReason::kNone, kLater, false, ""}}};
}

// Every state times every change, from docs/life_of_a_job.md. nullopt: refused.
struct Row {
  S from;
  std::vector<std::optional<S>> to;  // in the order of all_changes()
};

constexpr std::nullopt_t kNo = std::nullopt;

const std::vector<Row>& table() {
  // clang-format off
  static const std::vector<Row> rows = {
      //               leased         startcalled    started        succeeded      failed       cancel         cancel/start    confirmed     ended         requeued  given back
      {S::kNew,       {S::kAccepted,  kNo,           kNo,           kNo,           kNo,         S::kCanceled,  S::kCanceled,   kNo,          S::kKilled,   kNo,      kNo}},
      {S::kAccepted,  {S::kAccepted,  S::kAccepted,  S::kRunning,   S::kSucceeded, S::kFailed,  S::kCanceled,  S::kCanceling,  kNo,          S::kKilled,   S::kNew,  S::kNew}},
      {S::kRunning,   {S::kRunning,   kNo,           kNo,           S::kSucceeded, S::kFailed,  S::kCanceling, S::kCanceling,  kNo,          S::kKilled,   S::kNew,  S::kNew}},
      {S::kCanceling, {S::kCanceling, kNo,           kNo,           S::kSucceeded, S::kCanceled,S::kCanceling, S::kCanceling,  S::kCanceled, S::kCanceled, kNo,      kNo}},
      {S::kSucceeded, {kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo}},
      {S::kFailed,    {kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo}},
      {S::kKilled,    {kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo}},
      {S::kCanceled,  {kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo}},
  };
  // clang-format on
  return rows;
}

TEST(JobState, EveryChangeOfEveryStateIsAsTheTableSays) {
  const std::vector<Change> changes = all_changes();
  for (const Row& row : table()) {
    ASSERT_EQ(row.to.size(), changes.size());
    for (std::size_t i = 0; i < changes.size(); ++i) {
      SCOPED_TRACE(std::string(to_string(row.from)) + " " + changes[i].name);
      const auto after = apply(state_of(row.from), changes[i].change, kNow);
      ASSERT_EQ(after.ok(), row.to[i].has_value());
      if (after.ok()) {
        EXPECT_EQ(after->status, *row.to[i]);
      } else {
        EXPECT_EQ(after.status().code(), absl::StatusCode::kFailedPrecondition);
        EXPECT_THAT(message(after.status()), testing::HasSubstr(std::string(to_string(row.from))));
      }
    }
  }
}

TEST(JobState, AFinalStateHasAnEndAndNoOwner) {
  for (const Row& row : table()) {
    for (const Change& change : all_changes()) {
      const auto after = apply(state_of(row.from), change.change, kNow);
      if (!after.ok()) continue;
      SCOPED_TRACE(std::string(to_string(row.from)) + " " + change.name);
      EXPECT_EQ(is_final(after->status), after->finished_at == kNow);
      if (is_final(after->status) || after->status == S::kNew) {
        EXPECT_TRUE(after->owner.empty());
      }
    }
  }
}

TEST(JobState, AFinalStateIsRefusedWithTheWordAlreadyFinal) {
  const auto after = apply(state_of(S::kFailed), CancelRequested{"alice"}, kNow);
  EXPECT_EQ(error_word(after.status()), "already_final");
}

TEST(JobState, ALeaseRaisesTheEpochAndNotTheAttempt) {
  const auto after = apply(state_of(S::kRunning), Leased{InstanceId("b"), "host-b"}, kNow);
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->epoch, 8);
  EXPECT_EQ(after->attempt, 2);
  EXPECT_EQ(after->owner, InstanceId("b"));
  EXPECT_EQ(after->host, "host-b");
  EXPECT_EQ(after->handle, "run-1");
  EXPECT_EQ(after->started_at, kBefore);
}

TEST(JobState, AStartKeepsTheHandleAndForgetsHowTheLastAttemptEnded) {
  JobState state = state_of(S::kAccepted);
  state.reason = EndReason::kLost;
  state.error = "gone";
  const auto after = apply(state, Started{"run-2"}, kNow);
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->handle, "run-2");
  EXPECT_EQ(after->started_at, kNow);
  EXPECT_EQ(after->reason, EndReason::kNone);
  EXPECT_EQ(after->error, "");
}

TEST(JobState, AStartThatACancelOvertookStaysCancelingWithItsHandle) {
  JobState state = state_of(S::kAccepted);
  auto canceling = apply(state, CancelRequested{"alice", true}, kNow);
  ASSERT_TRUE(canceling.ok());
  const auto after = apply(*canceling, Started{"run-2"}, kNow);
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->status, S::kCanceling);
  EXPECT_EQ(after->handle, "run-2");
  EXPECT_EQ(after->canceled_by, "alice");
}

TEST(JobState, StartCalledMarksTheAttemptAsPerhapsStarted) {
  const auto after = apply(state_of(S::kAccepted), StartCalled{}, kNow);
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->started_at, kNow);
  EXPECT_EQ(after->handle, "");
}

TEST(JobState, TheFirstCancelerIsRemembered) {
  const auto first = apply(state_of(S::kRunning), CancelRequested{"alice"}, kNow);
  ASSERT_TRUE(first.ok());
  const auto second = apply(*first, CancelRequested{"bob"}, kLater);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->canceled_by, "alice");
}

TEST(JobState, ASuccessWhileCancelingKeepsWhoCanceled) {
  JobState state = state_of(S::kCanceling);
  state.canceled_by = "alice";
  const auto after = apply(state, Finished{true, ""}, kNow);
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->status, S::kSucceeded);
  EXPECT_EQ(after->canceled_by, "alice");
}

TEST(JobState, ACanceledJobCarriesNoErrorOfItsRun) {
  const auto after = apply(state_of(S::kCanceling), Finished{false, "signal: killed"}, kNow);
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->error, "");
  EXPECT_EQ(after->reason, EndReason::kNone);
}

TEST(JobState, AFailureKeepsItsErrorAndAKillItsReason) {
  const auto failed = apply(state_of(S::kRunning), Finished{false, "exit status 3"}, kNow);
  ASSERT_TRUE(failed.ok());
  EXPECT_EQ(failed->error, "exit status 3");
  const auto killed = apply(state_of(S::kRunning), Ended{EndReason::kTimeout, "too long"}, kNow);
  ASSERT_TRUE(killed.ok());
  EXPECT_EQ(killed->reason, EndReason::kTimeout);
  EXPECT_EQ(killed->error, "too long");
}

TEST(JobState, RequeuedIsTheNextAttemptWithNothingOfTheLastRun) {
  const auto after = apply(state_of(S::kRunning), Requeued{EndReason::kLost, kLater, true, "gone"}, kNow);
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->attempt, 3);
  EXPECT_EQ(after->handle, "");
  EXPECT_EQ(after->host, "");
  EXPECT_EQ(after->started_at, absl::InfinitePast());
  EXPECT_EQ(after->not_before, kLater);
  EXPECT_EQ(after->reason, EndReason::kLost);
  EXPECT_EQ(after->epoch, 7);
}

TEST(JobState, WhatNeverStartedGoesBackAsTheSameAttempt) {
  const auto after = apply(state_of(S::kAccepted), Requeued{EndReason::kNone, kNow, false, ""}, kNow);
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->attempt, 2);
}

TEST(JobState, OnlyEndsFromOutsideAreTriedAgain) {
  const std::vector<std::pair<EndReason, bool>> rules = {
      {EndReason::kNone, false},         {EndReason::kTimeout, false},
      {EndReason::kLost, true},          {EndReason::kHostLost, true},
      {EndReason::kNodeGone, true},      {EndReason::kDeleted, false},
      {EndReason::kStartUnknown, false}, {EndReason::kCommandRemoved, false},
      {EndReason::kStartFailed, true}};
  for (const auto& [reason, again] : rules) {
    SCOPED_TRACE(to_string(reason));
    EXPECT_EQ(may_retry(reason, 1, 3), again);
    EXPECT_EQ(may_retry(reason, 2, 3), again);
    EXPECT_FALSE(may_retry(reason, 3, 3));
    EXPECT_FALSE(may_retry(reason, 1, 1));
  }
}

TEST(JobState, TheWaitDoublesFromOneSecondToOneMinute) {
  const std::vector<std::pair<int, int>> seconds = {{1, 1},  {2, 2},  {3, 4},  {4, 8}, {5, 16},
                                                    {6, 32}, {7, 60}, {8, 60}, {0, 1}, {100, 60}};
  for (const auto& [attempt, wait] : seconds) {
    EXPECT_EQ(retry_delay(attempt), absl::Seconds(wait)) << attempt;
  }
}

}  // namespace
}  // namespace waybill::domain
