#include <boost/json.hpp>

#include "tests/conformance/fixture.h"

namespace waybill::testing {
namespace {

using ports::CatalogOverride;
using ports::EntryKind;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CatalogStoreTest : public DatabaseTest {
 protected:
  CatalogOverride entry(const std::string& id) {
    CatalogOverride out;
    out.kind = EntryKind::kCommand;
    out.id = id;
    out.body = boost::json::object{{"plugin", "shell"}, {"weight", 1.0}};
    out.status = "INACTIVE";
    out.base_revision = "r1";
    out.user = "ops";
    return out;
  }
  std::vector<CatalogOverride> all() { return *wait(db().catalog().overrides()); }
};
WB_EVERY_BACKEND(CatalogStoreTest);

TEST_P(CatalogStoreTest, KeepsAnOverrideOverAReopen) {
  ASSERT_THAT(wait(db().catalog().put_override(entry("x"))), IsOk());
  close();
  storage_ = open();
  ASSERT_THAT(all(), SizeIs(1));
  const CatalogOverride read = all().front();
  EXPECT_EQ(read.kind, EntryKind::kCommand);
  EXPECT_EQ(read.id, "x");
  EXPECT_EQ(read.body, entry("x").body);
  EXPECT_TRUE(read.body.at("weight").is_double());
  EXPECT_EQ(read.status, "INACTIVE");
  EXPECT_EQ(read.base_revision, "r1");
  EXPECT_EQ(read.user, "ops");
  EXPECT_EQ(read.created_at, clock_.now());
}

TEST_P(CatalogStoreTest, PuttingAgainReplacesAllButTheTimeOfCreation) {
  const absl::Time created = clock_.now();
  ASSERT_THAT(wait(db().catalog().put_override(entry("x"))), IsOk());
  advance(absl::Seconds(5));
  CatalogOverride only_status;
  only_status.id = "x";
  only_status.status = "ACTIVE";
  const auto put = wait(db().catalog().put_override(only_status));
  ASSERT_THAT(put, IsOk());
  ASSERT_THAT(all(), SizeIs(1));
  EXPECT_TRUE(all().front().body.is_null());
  EXPECT_EQ(all().front().status, "ACTIVE");
  EXPECT_EQ(put->created_at, created);
  EXPECT_EQ(put->updated_at, created + absl::Seconds(5));
}

TEST_P(CatalogStoreTest, CommandsAndClustersOfOneIdAreTwoEntries) {
  ASSERT_THAT(wait(db().catalog().put_override(entry("x"))), IsOk());
  CatalogOverride cluster = entry("x");
  cluster.kind = EntryKind::kCluster;
  ASSERT_THAT(wait(db().catalog().put_override(cluster)), IsOk());
  EXPECT_THAT(all(), SizeIs(2));
  ASSERT_THAT(wait(db().catalog().drop_override(EntryKind::kCommand, "x")), IsOk());
  ASSERT_THAT(all(), SizeIs(1));
  EXPECT_EQ(all().front().kind, EntryKind::kCluster);
}

TEST_P(CatalogStoreTest, DroppingWhatIsNotThereIsNotFound) {
  const absl::Status dropped = wait(db().catalog().drop_override(EntryKind::kCluster, "nope"));
  EXPECT_THAT(dropped, StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(message(dropped), ::testing::HasSubstr("cluster \"nope\""));
}

TEST_P(CatalogStoreTest, RevisionsAreKeptOnce) {
  const ports::CatalogRevision revision{"h1", EntryKind::kCluster, boost::json::object{{"a", 1}}};
  ASSERT_THAT(wait(db().catalog().keep_revisions({revision})), IsOk());
  ASSERT_THAT(wait(db().catalog().keep_revisions({revision, {"h2", EntryKind::kCommand, nullptr}})), IsOk());
  const auto read = wait(db().catalog().revision("h1"));
  ASSERT_THAT(read, IsOk());
  ASSERT_TRUE(read->has_value());
  EXPECT_EQ((*read)->kind, EntryKind::kCluster);
  EXPECT_EQ((*read)->body, revision.body);
  EXPECT_FALSE(wait(db().catalog().revision("nope"))->has_value());
  ASSERT_THAT(wait(db().catalog().keep_revisions({})), IsOk());
}

TEST_P(CatalogStoreTest, AuditEntriesAreAppended) {
  ASSERT_THAT(wait(db().audit().append({"ann", "PUT /command/x", "10.0.0.1", "denied"})), IsOk());
  EXPECT_EQ(sql("select who || '|' || what || '|' || origin || '|' || outcome from audit_log"),
            "ann|PUT /command/x|10.0.0.1|denied\n");
}

}  // namespace
}  // namespace waybill::testing
