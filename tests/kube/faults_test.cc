#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/kube/testbed.h"
#include "waybill/kube/api_error.h"
#include "waybill/kube/list_reader.h"

// The client against an API server that reads from etcd each time, so that what etcd forgets is forgotten,
// and against one that refuses.
namespace waybill::kube {
namespace {

using waybill::testing::Testbed;

int http_of(const absl::Status& status) {
  const auto refusal = api_error(status);
  return refusal ? refusal->http : 0;
}

class UncachedServer : public waybill::testing::TestbedTest {
 protected:
  static void SetUpTestSuite() {
    bed = std::make_unique<Testbed>("--no-controller-manager --apiserver=--watch-cache=false");
  }
  static void TearDownTestSuite() { bed = nullptr; }
  UncachedServer() : TestbedTest(*bed) {}
  static std::unique_ptr<Testbed> bed;
};
std::unique_ptr<Testbed> UncachedServer::bed;

TEST_F(UncachedServer, ReflectorPoint02_ACompactedPositionListsAgain) {
  const std::string position = make("c1");
  make("c2");
  make("c3");
  bed_.compact();
  ReflectorOptions resumed = options();
  resumed.start_at = position;
  start(resumed);
  wait_for("end");
  EXPECT_EQ(notes_.count_starting("item c"), 3U);
  EXPECT_EQ(metrics().relists, 1U);
  stop();
}

TEST_F(UncachedServer, ReflectorPoint04_ACompactedContinueTokenLeavesTheListIncomplete) {
  for (const char* name : {"t1", "t2", "t3", "t4"}) make(name);
  Listing listing = options().listing;
  listing.page_size = 2;
  ListReader reader(*client_, listing);
  for (int item = 0; item < 2; ++item) {
    const auto read = io_.run(reader.next());
    ASSERT_TRUE(read.ok() && read->has_value());
  }
  make("t5");
  bed_.compact();
  const auto read = io_.run(reader.next());
  EXPECT_EQ(http_of(read.status()), 410) << read.status();
  EXPECT_EQ(reader.resource_version().empty(), false) << "of the first page";
}

class GuardedServer : public waybill::testing::TestbedTest {
 protected:
  static void SetUpTestSuite() { bed = std::make_unique<Testbed>("--no-controller-manager --rbac"); }
  static void TearDownTestSuite() { bed = nullptr; }
  GuardedServer() : TestbedTest(*bed) {}
  static std::unique_ptr<Testbed> bed;
};
std::unique_ptr<Testbed> GuardedServer::bed;

TEST_F(GuardedServer, ReflectorPoint04_ARefusedListIsNoEmptyOne) {
  Client other(io_.executor(), clock_, bed_.access(bed_.restricted("reader", "get", "configmaps")));
  start(options(), &other);
  wait_until([&] { return http_of(metrics().last_error) == 403; });
  EXPECT_EQ(notes_.count_starting("end"), 0U);
  EXPECT_FALSE(metrics().synced);
  static_cast<void>(bed_.restricted("reader", "get,list,watch", "configmaps"));
  wait_for("end");  // the right was given: nobody has to restart anything
  stop();
}

TEST_F(GuardedServer, ReflectorPoint11_ATokenThatIsRefusedConcludesNothing) {
  make("w1");
  Client other(io_.executor(), clock_,
               bed_.access(bed_.restricted("watcher", "get,list,watch", "configmaps")));
  ReflectorOptions hasty = options();
  hasty.times.watch_least = absl::Seconds(1);
  hasty.times.watch_most = absl::Seconds(1);
  hasty.times.suspect_watch = absl::Milliseconds(10);
  start(hasty, &other);
  wait_for("end");
  bed_.shell("kubectl delete serviceaccount watcher -n default");
  wait_until([&] { return http_of(metrics().last_error) == 401; });
  EXPECT_EQ(notes_.count_starting("item w1"), 1U);
  EXPECT_EQ(notes_.count_starting("DELETED"), 0U);
  EXPECT_EQ(metrics().relists, 0U);
  stop();
}

}  // namespace
}  // namespace waybill::kube
