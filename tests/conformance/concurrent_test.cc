#include <set>
#include <thread>

#include "tests/conformance/fixture.h"

namespace waybill::testing {
namespace {

// Many calls at once, from several threads' loops, as several io threads or servers make them.
class ConcurrentTest : public DatabaseTest {
 protected:
  static constexpr int kThreads = 4;

  // The loops outlive the database: a thread of it may still be leaving one whose answer has come.
  void TearDown() override { close(); }
  TestIo& new_io() { return *ios_.emplace_back(std::make_unique<TestIo>()); }

  // Runs `work(thread)` on threads with an io of their own each.
  void on_threads(const std::function<void(int, TestIo&)>& work) {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&work, &io = new_io(), i] { work(i, io); });
    }
    for (std::thread& thread : threads) thread.join();
  }
  domain::Job job_of(int thread, int number) {
    domain::Job job;
    job.id = JobId("job-" + std::to_string(thread) + "-" + std::to_string(number));
    job.spec.user = "user-" + std::to_string(thread);
    job.spec.tags = {"t:1"};
    return job;
  }
  // Starts all inserts at once, so that they share transactions; how many were new.
  int insert_many(TestIo& io, int thread, int count) {
    int done = 0;
    int fine = 0;
    for (int i = 0; i < count; ++i) {
      ports::NewJob fresh{job_of(thread, i), {"ann", "a"}};
      boost::asio::co_spawn(io.context(), jobs().insert(std::move(fresh), std::nullopt, 0),
                            [&](std::exception_ptr, absl::StatusOr<ports::Inserted> answer) {
                              ++done;
                              fine += answer.ok() ? 1 : 0;
                            });
    }
    io.wait_until([&] { return done == count; });
    return fine;
  }

  std::vector<std::unique_ptr<TestIo>> ios_;
};
WB_EVERY_BACKEND(ConcurrentTest);

TEST_P(ConcurrentTest, ParallelInsertsAreAllStored) {
  std::atomic<int> stored = 0;
  on_threads([&](int thread, TestIo& io) { stored += insert_many(io, thread, 100); });
  EXPECT_EQ(stored, kThreads * 100);
  EXPECT_EQ(sql("select count(*) from jobs"), "400\n");
  EXPECT_EQ(sql("select count(*) from events"), "400\n");
  EXPECT_EQ(sql("select count(*) from job_tags"), "400\n");
}

TEST_P(ConcurrentTest, ABadRowInAGroupFailsAlone) {
  on_threads([&](int thread, TestIo& io) { insert_many(io, thread, 20); });
  // The same ids again, with one new one among them: the groups fail and are done one by one.
  std::atomic<int> stored = 0;
  on_threads([&](int thread, TestIo& io) { stored += insert_many(io, thread, 21); });
  EXPECT_EQ(stored, kThreads);
  EXPECT_EQ(sql("select count(*) from jobs"), "84\n");
}

TEST_P(ConcurrentTest, ReadsThatShareAnExchangeAnswerEachItsOwnJob) {
  on_threads([&](int thread, TestIo& io) { insert_many(io, thread, 50); });
  std::atomic<int> right = 0;
  on_threads([&](int thread, TestIo& io) {
    int done = 0;
    for (int i = 0; i < 200; ++i) {
      // Every fourth is not there; one is no text that PostgreSQL would take.
      const JobId id = i == 77 ? JobId("job-\xff") : job_of(thread, i % 4 == 3 ? 1000 + i : i / 4).id;
      const bool is_there = i % 4 != 3 && i != 77;
      const auto answered = [&, id, is_there](std::exception_ptr, const absl::StatusOr<domain::Job>& job) {
        ++done;
        right += is_there ? (job.ok() && job->id == id ? 1 : 0) : (job.ok() ? 0 : 1);
      };
      boost::asio::co_spawn(io.context(), jobs().get(id), answered);
    }
    io.wait_until([&] { return done == 200; });
  });
  EXPECT_EQ(right, kThreads * 200);
}

TEST_P(ConcurrentTest, OneKeyMakesOneJobHoweverManyAsk) {
  std::mutex mutex;
  std::set<std::string> ids;
  int fresh_ones = 0;
  on_threads([&](int thread, TestIo& io) {
    int done = 0;
    for (int i = 0; i < 10; ++i) {
      ports::IdempotencyKey key{
          .caller = "ann", .key = "k", .endpoint = "POST /job", .request_hash = "h", .keep = absl::Hours(1)};
      ports::NewJob fresh{job_of(thread, i), {"ann", "a"}};
      boost::asio::co_spawn(io.context(), jobs().insert(std::move(fresh), std::move(key), 0),
                            [&](std::exception_ptr, absl::StatusOr<ports::Inserted> answer) {
                              const std::scoped_lock lock(mutex);
                              ++done;
                              ids.insert(answer.ok() ? answer->job.id.str() : message(answer.status()));
                              fresh_ones += answer.ok() && answer->is_new ? 1 : 0;
                            });
    }
    io.wait_until([&] { return done == 10; });
  });
  EXPECT_THAT(ids, ::testing::SizeIs(1)) << ::testing::PrintToString(ids);
  EXPECT_EQ(fresh_ones, 1);
  EXPECT_EQ(sql("select count(*) from jobs"), "1\n");
}

TEST_P(ConcurrentTest, TheLimitOfWaitingJobsHoldsUnderParallelInserts) {
  std::atomic<int> stored = 0;
  on_threads([&](int thread, TestIo& io) {
    for (int i = 0; i < 10; ++i) {
      domain::Job job = job_of(thread, i);
      job.spec.user = "ann";
      ports::NewJob fresh{std::move(job), {"ann", "a"}};
      const auto answer = io.run(jobs().insert(std::move(fresh), std::nullopt, 7));
      stored += answer.ok() ? 1 : 0;
    }
  });
  EXPECT_EQ(stored, 7);
}

TEST_P(ConcurrentTest, NoJobIsClaimedTwice) {
  TestIo& io = new_io();
  ASSERT_EQ(insert_many(io, 0, 300), 300);
  const std::unique_ptr<storage::Storage> second = on_postgres() ? open("b") : nullptr;
  std::mutex mutex;
  std::multiset<std::string> claimed;
  on_threads([&](int thread, TestIo& own) {
    ports::JobStore& store = thread % 2 == 1 && second ? second->jobs() : jobs();
    while (true) {
      ports::ClaimRequest request{.by = InstanceId("i" + std::to_string(thread)),
                                  .host = "h",
                                  .host_local = 0,
                                  .remote = 7,
                                  .note = {"waybill", "i"}};
      const auto got = own.run(store.claim(std::move(request)));
      if (!got.ok() || got->empty()) return;
      const std::scoped_lock lock(mutex);
      for (const domain::Job& job : *got) claimed.insert(job.id.str());
    }
  });
  EXPECT_EQ(std::set<std::string>(claimed.begin(), claimed.end()).size(), 300U);
  EXPECT_EQ(claimed.size(), 300U) << "a job was given to two instances";
}

TEST_P(ConcurrentTest, RunningPerUserHoldsOverInstances) {
  TestIo& io = new_io();
  ASSERT_EQ(insert_many(io, 0, 50), 50);
  const std::unique_ptr<storage::Storage> second = on_postgres() ? open("b") : nullptr;
  std::atomic<int> claimed = 0;
  on_threads([&](int thread, TestIo& own) {
    ports::JobStore& store = thread % 2 == 1 && second ? second->jobs() : jobs();
    for (int i = 0; i < 5; ++i) {
      ports::ClaimRequest request{.by = InstanceId("i" + std::to_string(thread)),
                                  .host = "h",
                                  .host_local = 0,
                                  .remote = 3,
                                  .running_per_user = 4,
                                  .note = {"waybill", "i"}};
      const auto got = own.run(store.claim(std::move(request)));
      claimed += got.ok() ? static_cast<int>(got->size()) : 100;
    }
  });
  EXPECT_EQ(claimed, 4);
}

TEST_P(ConcurrentTest, OfTwoWritesOfOneJobOneWins) {
  const domain::Job job = insert();
  const domain::Job claimed = claim_one("a");
  std::atomic<int> won = 0;
  on_threads([&](int thread, TestIo& io) {
    ports::JobWrite write;
    write.id = job.id;
    write.expected_status = claimed.state.status;
    write.expected_epoch = claimed.state.epoch;
    write.state = claimed.state;
    write.state.owner = InstanceId("i" + std::to_string(thread));
    write.state.epoch += 1;
    const auto answer = io.run(jobs().write(std::move(write)));
    won += answer.ok() ? 1 : 0;
    EXPECT_TRUE(answer.ok() || absl::IsAborted(answer.status())) << answer.status();
  });
  EXPECT_EQ(won, 1);
}

TEST_P(ConcurrentTest, AReaderOfEventsMissesNone) {
  std::atomic<bool> writing = true;
  std::set<std::string> seen;
  std::thread reader([&, &io = new_io()] {
    std::string position;
    while (true) {
      const bool last = !writing;
      const auto page = io.run(db().events().read(position, 50));
      if (!page.ok()) return;
      for (const ports::Event& event : page->events) seen.insert(event.subject);
      if (last && page->events.empty()) return;
      position = page->last_position;
    }
  });
  on_threads([&](int thread, TestIo& io) { insert_many(io, thread, 100); });
  writing = false;
  reader.join();
  EXPECT_EQ(seen.size(), 400U);
}

}  // namespace
}  // namespace waybill::testing
