#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "waybill/base/status.h"
#include "waybill/engine/test_kit.h"

// Many random lives: the engine dies at any moment, writes fail before or after they took effect, the
// database goes away, jobs are canceled, runs end as they like. After each: no job lost, none run twice, none
// stuck.
namespace waybill::engine {
namespace {

using domain::JobStatus;
using ports::RunPhase;
using testing::FaultyJobStore;

class Simulation : public EngineTest {
 protected:
  void round(unsigned seed) {
    random_.seed(seed);
    jobs_of_round_.clear();
    submit_some();
    const int steps = 6 + pick(10);
    for (int i = 0; i < steps; ++i) act();
    recover();
    for (const JobId& id : jobs_of_round_) check(id);
  }

  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  void submit_some() {
    const int count = 1 + pick(4);
    for (int i = 0; i < count; ++i) {
      domain::JobSpec asked = spec();
      asked.max_attempts = 1 + pick(2);
      const auto submitted = try_submit(asked);
      if (submitted.ok()) jobs_of_round_.push_back(submitted->job.id);
    }
  }

  void act() {
    switch (pick(8)) {
      case 0:
        crash();
        start();
        break;
      case 1:
        jobs_->fail(jobs_->changes() + 1 + pick(4),
                    pick(2) == 0 ? FaultyJobStore::Moment::kBefore : FaultyJobStore::Moment::kAfter);
        break;
      case 2:
        if (!jobs_of_round_.empty()) {
          const auto canceled = run(engine().canceler().cancel(any_job(), caller()));
          static_cast<void>(canceled);  // may be refused: final, or the database is away
        }
        break;
      case 3:
        end_some_run();
        break;
      case 4:
        advance(absl::Seconds(pick(4)));
        break;
      case 5:
        fake_->start_errors.push_back(unavailable("not now"));
        break;
      case 6:
        io_.context().restart();
        io_.context().poll_one();  // stops somewhere in the middle
        break;
      default:
        settle();
        break;
    }
  }

  JobId any_job() {
    return jobs_of_round_[static_cast<std::size_t>(pick(static_cast<int>(jobs_of_round_.size())))];
  }

  void end_some_run() {
    for (auto& [handle, one] : fake_->runs) {
      if (one.now.phase != RunPhase::kRunning || pick(2) == 0) continue;
      const RunPhase ends[] = {RunPhase::kSucceeded, RunPhase::kFailed, RunPhase::kEnded};
      one.now.phase = ends[pick(3)];
      one.now.reason =
          one.now.phase == RunPhase::kEnded ? domain::EndReason::kLost : domain::EndReason::kNone;
      engine().nudge(JobId(one.job));
    }
  }

  // Everything works again; what still runs succeeds.
  void recover() {
    fake_->start_errors.clear();
    const auto all_over = [&] {
      for (auto& [handle, one] : fake_->runs) {
        if (one.now.phase == RunPhase::kRunning) one.now.phase = RunPhase::kSucceeded;
      }
      return std::all_of(jobs_of_round_.begin(), jobs_of_round_.end(),
                         [&](const JobId& id) { return domain::is_final(job(id).state.status); });
    };
    advance_until(absl::Seconds(5), all_over, "every job to end");
    settle();
  }

  void check(const JobId& id) {
    const domain::Job now = job(id);
    SCOPED_TRACE(id.str() + " is " + std::string(to_string(now.state.status)));
    EXPECT_TRUE(now.state.owner.empty());
    EXPECT_LE(now.state.attempt, now.spec.max_attempts);
    std::vector<int> runs(static_cast<std::size_t>(now.spec.max_attempts) + 1);
    for (const auto& [handle, one] : fake_->runs) {
      if (one.job != id.str()) continue;
      ASSERT_LE(one.attempt, now.spec.max_attempts);
      EXPECT_EQ(++runs[static_cast<std::size_t>(one.attempt)], 1)
          << "attempt " << one.attempt << " ran twice";
      EXPECT_LE(one.attempt, now.state.attempt);
      EXPECT_NE(one.now.phase, RunPhase::kRunning) << "a run was left behind";
    }
    if (now.state.status == JobStatus::kSucceeded) {
      EXPECT_EQ(runs[static_cast<std::size_t>(now.state.attempt)], 1);
    }
    if (now.state.status == JobStatus::kCanceled) {
      EXPECT_EQ(now.state.canceled_by, "alice");
    }
    if (now.state.status == JobStatus::kKilled) {
      EXPECT_NE(now.state.reason, domain::EndReason::kNone);
    }
    check_history(id);
  }

  // Each step of the history begins where the one before ended, and there is one end.
  void check_history(const JobId& id) {
    const auto steps = run(storage_->jobs().transitions(id));
    ASSERT_TRUE(steps.ok());
    int ends = 0;
    for (std::size_t i = 1; i < steps->size(); ++i) {
      EXPECT_EQ((*steps)[i].from, (*steps)[i - 1].to);
      ends += domain::is_final((*steps)[i].to) ? 1 : 0;
    }
    EXPECT_EQ(ends, 1);
  }

  std::mt19937 random_;
  std::vector<JobId> jobs_of_round_;
};

TEST_F(Simulation, RepeatableStartsNeverRunAnAttemptTwice) {
  start();
  for (unsigned seed = 1; seed <= 150 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    round(seed);
  }
}

TEST_F(Simulation, StartsThatCantBeRepeatedAreNeverRepeated) {
  fake_->edit_traits().restartable_start = false;
  fake_->creates_new_runs = true;
  start();
  for (unsigned seed = 1001; seed <= 1150 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    round(seed);
  }
}

TEST_F(Simulation, HostLocalJobsOnTwoPlaces) {
  fake_->edit_traits().host_local = true;
  options_.pool_size = 2;
  start();
  for (unsigned seed = 2001; seed <= 2100 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    round(seed);
  }
}

}  // namespace
}  // namespace waybill::engine
