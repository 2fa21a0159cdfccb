#include "tests/support/faulty_job_store.h"

#include "tests/conformance/fixture.h"

namespace waybill::testing {
namespace {

using ::testing::SizeIs;
using Moment = FaultyJobStore::Moment;

class FaultyJobStoreTest : public DatabaseTest {
 protected:
  absl::StatusOr<ports::Inserted> insert_into(FaultyJobStore& store, const domain::Job& job) {
    ports::NewJob fresh{job, {"ann", "a"}};
    return wait(store.insert(std::move(fresh), std::nullopt, 0));
  }
};
INSTANTIATE_TEST_SUITE_P(Databases, FaultyJobStoreTest, ::testing::Values(Backend::kSqlite), backend_name);

TEST_P(FaultyJobStoreTest, AFaultBeforeStoresNothingAndOneAfterStoresUnheard) {
  FaultyJobStore store(jobs());
  const domain::Job lost = some_job("lost");
  const domain::Job unheard = some_job("unheard");
  store.fail(1, Moment::kBefore);
  EXPECT_THAT(insert_into(store, lost), StatusIs(absl::StatusCode::kUnavailable));
  store.fail(2, Moment::kAfter);
  EXPECT_THAT(insert_into(store, unheard), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(insert_into(store, some_job("fine")), IsOk());
  EXPECT_THAT(wait(store.get(lost.id)), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(wait(store.get(unheard.id)), IsOk());
  EXPECT_EQ(store.changes(), 3);
  EXPECT_TRUE(store.was_hit());
}

TEST_P(FaultyJobStoreTest, WhileDownNothingAnswers) {
  FaultyJobStore store(jobs());
  store.down(true);
  EXPECT_THAT(insert_into(store, some_job()), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(wait(store.next_due()), StatusIs(absl::StatusCode::kUnavailable));
  store.down(false);
  EXPECT_THAT(insert_into(store, some_job()), IsOk());
  EXPECT_THAT(claim("a"), SizeIs(1));
}

}  // namespace
}  // namespace waybill::testing
