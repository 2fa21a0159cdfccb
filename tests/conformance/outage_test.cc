#include "tests/conformance/fixture.h"
#include "tests/support/postgres.h"

namespace waybill::testing {
namespace {

// A PostgreSQL that goes away and comes back, under an open database.
class OutageTest : public ::testing::Test {
 protected:
  OutageTest() : connection_(server_.create_database("outage")) {
    storage::DatabaseOptions options;
    options.connection = connection_;
    options.pool_size = 2;
    options.patience = std::chrono::milliseconds(300);
    auto opened = storage::open(options, io_.executor(), clock_, log_);
    if (!opened.ok()) throw std::runtime_error(message(opened.status()));
    storage_ = *std::move(opened);
  }
  absl::StatusOr<ports::Inserted> insert(const std::string& id) {
    domain::Job job;
    job.id = JobId(id);
    ports::NewJob fresh{std::move(job), {"ann", "a"}};
    return io_.run(storage_->jobs().insert(std::move(fresh), std::nullopt, 0));
  }
  absl::StatusOr<domain::Job> get(const std::string& id) { return io_.run(storage_->jobs().get(JobId(id))); }

  Postgres server_;
  std::string connection_;
  TestIo io_;
  FakeClock clock_{io_.context()};
  Log log_{LogLevel::kError};
  std::unique_ptr<storage::Storage> storage_;
};

TEST_F(OutageTest, WhileAwayCallsAnswerUnavailableAndAfterwardsTheyWorkAgain) {
  ASSERT_THAT(insert("before"), IsOk());
  ASSERT_THAT(get("before"), IsOk());
  server_.stop();
  EXPECT_THAT(insert("during"), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(get("before"), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(io_.run(storage_->ready()), StatusIs(absl::StatusCode::kUnavailable));
  server_.start();
  EXPECT_THAT(get("before"), IsOk()) << "what was answered was lost";
  EXPECT_THAT(get("during"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(insert("after"), IsOk());
  EXPECT_THAT(io_.run(storage_->ready()), IsOk());
}

TEST_F(OutageTest, ARestartBetweenTwoCallsIsNotSeen) {
  ASSERT_THAT(insert("one"), IsOk());
  server_.stop();
  server_.start();
  EXPECT_THAT(insert("two"), IsOk());
  EXPECT_THAT(get("one"), IsOk());
}

TEST_F(OutageTest, AfterALostConnectionListenersAreToldOfEverything) {
  std::set<ports::ChangeKind> heard;
  const auto subscription = storage_->changes().subscribe([&](const ports::ChangeNotice& notice) {
    if (notice.id.empty()) heard.insert(notice.kind);
  });
  server_.stop();
  server_.start();
  io_.wait_until([&] { return heard.size() == 4; });
}

}  // namespace
}  // namespace waybill::testing
