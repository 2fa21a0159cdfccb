#include "waybill/domain/job.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "waybill/domain/attribute.h"
#include "waybill/domain/catalog.h"

namespace waybill::domain {
namespace {

TEST(JobWords, StatusesHaveTheIdsAndWordsOfTheApi) {
  const std::vector<std::pair<int, std::string>> expected = {
      {1, "NEW"},    {2, "ACCEPTED"},  {3, "RUNNING"},   {4, "FAILED"},
      {5, "KILLED"}, {6, "SUCCEEDED"}, {7, "CANCELING"}, {8, "CANCELED"}};
  for (const auto& [id, word] : expected) {
    const auto status = static_cast<JobStatus>(id);
    EXPECT_EQ(to_string(status), word);
    EXPECT_EQ(parse_job_status(word), status);
  }
  for (const char* wrong : {"", "new", "New", "NEW ", "CANCELLED"}) {
    EXPECT_EQ(parse_job_status(wrong), std::nullopt) << wrong;
  }
}

TEST(JobWords, FourStatusesAreFinal) {
  const std::vector<JobStatus> ends = {JobStatus::kFailed, JobStatus::kKilled, JobStatus::kSucceeded,
                                       JobStatus::kCanceled};
  const std::vector<JobStatus> lives = {JobStatus::kNew, JobStatus::kAccepted, JobStatus::kRunning,
                                        JobStatus::kCanceling};
  for (const JobStatus status : ends) EXPECT_TRUE(is_final(status)) << to_string(status);
  for (const JobStatus status : lives) EXPECT_FALSE(is_final(status)) << to_string(status);
}

TEST(JobWords, ReasonsAreTheWordsOfStatusReason) {
  const std::vector<std::pair<EndReason, std::string>> expected = {
      {EndReason::kNone, ""},
      {EndReason::kTimeout, "timeout"},
      {EndReason::kLost, "lost"},
      {EndReason::kHostLost, "host_lost"},
      {EndReason::kNodeGone, "node_gone"},
      {EndReason::kDeleted, "deleted"},
      {EndReason::kStartUnknown, "start_unknown"},
      {EndReason::kCommandRemoved, "command_removed"},
      {EndReason::kStartFailed, "start_failed"}};
  for (const auto& [reason, word] : expected) {
    EXPECT_EQ(to_string(reason), word);
    EXPECT_EQ(parse_end_reason(word), reason);
  }
  EXPECT_EQ(parse_end_reason("bored"), std::nullopt);
}

TEST(EntryWords, StatusesAreReadInAnyCase) {
  for (const char* word : {"ACTIVE", "active", "Active"}) {
    EXPECT_EQ(parse_entry_status(word), EntryStatus::kActive) << word;
  }
  EXPECT_EQ(parse_entry_status("inactive"), EntryStatus::kInactive);
  EXPECT_EQ(parse_entry_status("deleted"), EntryStatus::kDeleted);
  EXPECT_EQ(parse_entry_status("on"), std::nullopt);
  EXPECT_EQ(parse_entry_status(""), std::nullopt);
  EXPECT_EQ(to_string(EntryStatus::kInactive), "INACTIVE");
  EXPECT_EQ(to_string(EntryOrigin::kOverride), "override");
  EXPECT_EQ(to_string(EntryOrigin::kConfig), "config");
  EXPECT_EQ(to_string(EntryOrigin::kApi), "api");
}

TEST(AttributeWords, KindAndShow) {
  EXPECT_EQ(to_string(AttributeKind::kUnset), "");
  EXPECT_EQ(parse_attribute_kind("link"), AttributeKind::kLink);
  EXPECT_EQ(parse_attribute_kind("text"), AttributeKind::kText);
  EXPECT_EQ(parse_attribute_kind("html"), std::nullopt);
  EXPECT_EQ(parse_attribute_kind("Link"), std::nullopt);
  for (const char* word : {"always", "running", "finished", "failed"}) {
    const auto show = parse_attribute_show(word);
    ASSERT_TRUE(show.has_value()) << word;
    EXPECT_EQ(to_string(*show), word);
  }
  EXPECT_EQ(parse_attribute_show(""), std::nullopt);
}

TEST(Tags, AreSortedByBytesWithoutDoubles) {
  EXPECT_EQ(sorted_unique({"b", "a", "B", "ü", "a", " a"}),
            (std::vector<std::string>{" a", "B", "a", "b", "ü"}));
  EXPECT_EQ(sorted_unique({}), std::vector<std::string>{});
}

TEST(Tags, SystemTagsStandAmongTheOwnOnes) {
  EXPECT_EQ(with_system_tags("7", "n", "1.0", {"Z", "a", "_id:7"}),
            (std::vector<std::string>{"Z", "_id:7", "_name:n", "_version:1.0", "a"}));
}

}  // namespace
}  // namespace waybill::domain
