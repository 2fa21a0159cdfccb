#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/json.hpp>
#include <optional>

#include "waybill/base/status.h"
#include "waybill/engine/test_kit.h"

// Jobs whose caller waits for the end.
namespace waybill::engine {
namespace {

using domain::JobStatus;
using ports::RunPhase;

using Answer = absl::StatusOr<Submitted>;

class SyncTest : public EngineTest {
 protected:
  // A call in progress.
  std::shared_ptr<std::optional<Answer>> call(Engine& at, const std::string& key = "") {
    auto answer = std::make_shared<std::optional<Answer>>();
    auto keep = [answer](std::exception_ptr, Answer value) { answer->emplace(std::move(value)); };
    SubmitRequest request{.spec = spec("s", "type:sync"), .idempotency_key = key};
    boost::asio::co_spawn(io_.context(), at.submitter().submit(request, caller()), keep);
    return answer;
  }
  static std::shared_ptr<const domain::ResultTable> table() {
    auto made = std::make_shared<domain::ResultTable>();
    made->columns = {{"n", "int"}};
    made->rows = boost::json::array{boost::json::array{7}};
    return made;
  }
  JobId only_job() {
    const auto page = run(storage_->jobs().list({}, {}));
    EXPECT_EQ(page->jobs.size(), 1U);
    return page->jobs.at(0).id;
  }
};

TEST_F(SyncTest, TheAnswerIsTheEndWithItsResult) {
  fake_->ends_at_start = true;
  fake_->end.result = table();
  options_.roles = {"api"};  // runs whatever the roles
  start();
  const auto answer = try_submit(spec("s", "type:sync"));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->job.state.status, JobStatus::kSucceeded);
  ASSERT_NE(answer->result, nullptr);
  EXPECT_EQ(answer->result->rows, table()->rows);
  EXPECT_THAT(history(answer->job.id), ::testing::ElementsAre("ACCEPTED", "SUCCEEDED"));
}

TEST_F(SyncTest, AFailureNamesItsJob) {
  fake_->ends_at_start = true;
  fake_->end.phase = RunPhase::kFailed;
  fake_->end.error = "exit status 7";
  start();
  const auto answer = try_submit(spec("s", "type:sync"));
  EXPECT_EQ(error_word(answer.status()), "job_failed");
  EXPECT_EQ(message(answer.status()), "exit status 7");
  EXPECT_EQ(job_id_of(answer.status()), only_job());
  EXPECT_TRUE(job_id_of(absl::OkStatus()).empty());
}

TEST_F(SyncTest, MoreThanSyncSizeIsRefusedAndThePlaceIsFreeAgainAfterwards) {
  options_.sync_size = 1;
  start();
  const auto first = call(engine());
  wait_until([&] { return fake_->start_calls == 1; });
  const auto second = try_submit(spec("s", "type:sync"));
  EXPECT_EQ(second.status().code(), absl::StatusCode::kResourceExhausted);
  end_run(only_job());
  wait_until([&] { return first->has_value(); });
  fake_->ends_at_start = true;
  EXPECT_TRUE(try_submit(spec("s", "type:sync")).ok());
}

TEST_F(SyncTest, ACallerWhoGoesAwayDoesNotEndIt) {
  start();
  auto stop = std::make_shared<boost::asio::cancellation_signal>();
  bool left = false;
  auto gone = [&](std::exception_ptr, const Answer&) { left = true; };
  boost::asio::co_spawn(
      io_.context(),
      engine().submitter().submit({.spec = spec("s", "type:sync"), .idempotency_key = ""}, caller()),
      boost::asio::bind_cancellation_slot(stop->slot(), gone));
  wait_until([&] { return fake_->start_calls == 1; });
  stop->emit(boost::asio::cancellation_type::terminal);
  wait_until([&] { return left; });
  const JobId id = only_job();
  wait_for(id, JobStatus::kRunning);
  end_run(id);
  wait_for(id, JobStatus::kSucceeded);
}

TEST_F(SyncTest, ARepeatOfTheKeyAttachesToTheRunningJob) {
  start();
  const auto first = call(engine(), "k");
  wait_until([&] { return fake_->start_calls == 1; });
  const auto again = call(engine(), "k");
  settle();
  const JobId id = only_job();
  wait_for(id, JobStatus::kRunning);
  fake_->find(id)->now.result = table();
  end_run(id);
  wait_until([&] { return first->has_value() && again->has_value(); }, "both answers");
  ASSERT_TRUE((*first)->ok() && (*again)->ok());
  EXPECT_EQ((**first)->job.id, (**again)->job.id);
  EXPECT_FALSE((**again)->is_new);
  ASSERT_NE((**again)->result, nullptr);
  EXPECT_EQ((**again)->result->rows, table()->rows);
  EXPECT_EQ(fake_->runs_of(id), 1);
}

TEST_F(SyncTest, ARepeatAtAnotherInstanceAttachesToo) {
  Engine& a = start("a");
  const auto first = call(a, "k");
  wait_until([&] { return fake_->start_calls == 1; });
  const JobId id = only_job();
  wait_for(id, JobStatus::kRunning);
  Engine& b = start("b", "host-b");
  const auto again = call(b, "k");
  settle();
  fake_->find(id)->now.result = table();
  fake_->find(id)->now.phase = RunPhase::kSucceeded;
  a.nudge(id);
  advance_until(absl::Seconds(1), [&] { return again->has_value(); }, "the other answer");
  ASSERT_TRUE((*again)->ok()) << (*again)->status();
  ASSERT_NE((**again)->result, nullptr);
  EXPECT_EQ((**again)->result->rows, table()->rows);
}

TEST_F(SyncTest, ARepeatAfterTheEndAnswersTheSame) {
  fake_->ends_at_start = true;
  fake_->end.result = table();
  start();
  const auto first = try_submit(spec("s", "type:sync"), caller(), "k");
  const auto again = try_submit(spec("s", "type:sync"), caller(), "k");
  ASSERT_TRUE(first.ok() && again.ok()) << again.status();
  EXPECT_EQ(first->job.id, again->job.id);
  EXPECT_EQ(again->result->rows, table()->rows);
  EXPECT_EQ(fake_->started.size(), 1U);
}

TEST_F(SyncTest, ACrashLeavesItToTheNextStart) {
  start();
  const auto lost = call(engine(), "k");
  wait_until([&] { return fake_->start_calls == 1; });
  const JobId id = only_job();
  wait_for(id, JobStatus::kRunning);
  crash();
  start();
  const auto again = call(engine(), "k");
  settle();
  end_run(id);
  wait_until([&] { return again->has_value(); });
  ASSERT_TRUE((*again)->ok()) << (*again)->status();
  EXPECT_EQ(fake_->runs_of(id), 1);
}

TEST_F(SyncTest, ItCanBeCanceled) {
  start();
  const auto answer = call(engine());
  wait_until([&] { return fake_->start_calls == 1; });
  const JobId id = only_job();
  wait_for(id, JobStatus::kRunning);
  ASSERT_TRUE(run(engine().canceler().cancel(id, caller())).ok());
  wait_until([&] { return answer->has_value(); });
  EXPECT_EQ(error_word((*answer)->status()), "job_failed");
  EXPECT_EQ(message((*answer)->status()), "the job was canceled by alice");
}

}  // namespace
}  // namespace waybill::engine
