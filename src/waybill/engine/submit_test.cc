#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "waybill/base/status.h"
#include "waybill/engine/test_kit.h"

// What is taken in, and what is not.
namespace waybill::engine {
namespace {

using domain::JobStatus;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SubmitTest : public EngineTest {
 protected:
  SubmitTest() { options_.roles = {"api"}; }  // nothing runs
  static ports::ContextKey key(const std::string& name, ports::ContextType type, unsigned levels) {
    ports::ContextKey made;
    made.name = name;
    made.type = type;
    made.levels = levels;
    return made;
  }
};

TEST_F(SubmitTest, TheJobIsStoredAsAsked) {
  start();
  domain::JobSpec asked = spec("n");
  asked.tags = {"b", "a", "b"};
  asked.user = "mallory";
  asked.context = boost::json::object{{"x", 1}};
  const auto submitted = try_submit(asked);
  ASSERT_TRUE(submitted.ok()) << submitted.status();
  const domain::Job stored = job(submitted->job.id);
  EXPECT_EQ(stored.spec.user, "alice");
  EXPECT_THAT(stored.spec.tags, ElementsAre("a", "b"));
  EXPECT_EQ(stored.state.status, JobStatus::kNew);
  EXPECT_EQ(stored.route.command_id, CommandId("fake"));
  EXPECT_EQ(stored.route.cluster_id, ClusterId("here"));
  EXPECT_EQ(stored.route.plugin, "fake");
  EXPECT_EQ(stored.route.command_revision.size(), 64U);
  EXPECT_TRUE(is_uuid(stored.id.str()));
}

TEST_F(SubmitTest, EachLimitIsNamed) {
  options_.max_tags = 2;
  options_.tag_bytes = 4;
  options_.name_bytes = 8;
  options_.context_depth = 3;
  start();
  const struct {
    std::function<void(domain::JobSpec&)> edit;
    std::string text;
  } rows[] = {
      {[](auto& s) { s.name = std::string(9, 'x'); }, "name is 9 bytes long: at most 8 are allowed"},
      {[](auto& s) { s.version = std::string(9, 'x'); }, "version is 9 bytes long"},
      {[](auto& s) { s.tags = {"a", "b", "c"}; }, "tags has 3 entries: at most 2 are allowed"},
      {[](auto& s) { s.tags = {"z", "abcde"}; }, "tags[1] is 5 bytes long: at most 4 are allowed"},
      {[](auto& s) { s.context = boost::json::object{{"a", {{"b", {{"c", {{"d", 1}}}}}}}}; },
       "nested deeper than 3 levels"},
      {[](auto& s) { s.priority = 101; }, "priority is 101"},
      {[](auto& s) { s.max_attempts = 0; }, "max_attempts is 0"},
      {[](auto& s) { s.timeout = -absl::Seconds(1); }, "timeout_seconds is negative"},
      {[](auto& s) { s.context = boost::json::object{{"x", {{"$secret", {{"file", "/etc/passwd"}}}}}}; },
       "$secret"},
  };
  for (const auto& row : rows) {
    domain::JobSpec asked = spec("n");
    asked.command_criteria = std::vector<std::string>{};
    row.edit(asked);
    const auto refused = try_submit(asked);
    EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument) << row.text;
    EXPECT_THAT(message(refused.status()), HasSubstr(row.text));
  }
}

TEST_F(SubmitTest, RoutingComesBeforeAllowedCallers) {
  command_.allowed_callers = {"ops|night-ops"};
  start();
  EXPECT_EQ(error_word(try_submit(spec("n", "type:none")).status()), "no_route");
  EXPECT_EQ(try_submit(spec()).status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_TRUE(try_submit(spec(), caller("night-ops")).ok());
}

TEST_F(SubmitTest, APriorityAboveZeroIsForAdmins) {
  start();
  domain::JobSpec asked = spec();
  asked.priority = 1;
  EXPECT_EQ(try_submit(asked).status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_TRUE(try_submit(asked, caller("root", true)).ok());
  asked.priority = -100;
  EXPECT_TRUE(try_submit(asked).ok());
}

TEST_F(SubmitTest, AJobSetsOnlyWhatItsExecutorOpensToJobs) {
  const auto job_level = static_cast<unsigned>(ports::ContextLevel::kJob);
  const auto command_level = static_cast<unsigned>(ports::ContextLevel::kCommand);
  fake_->edit_traits().keys = {
      key("arguments", ports::ContextType::kStringList, job_level),
      key("query", ports::ContextType::kString, job_level),
      key("command", ports::ContextType::kStringList, command_level),
      key("parameters", ports::ContextType::kObject, command_level),
      key("parameters.properties", ports::ContextType::kObject, job_level),
  };
  command_.locked_context = {"query", "pinned"};
  start();
  const struct {
    boost::json::object context;
    std::string text;  // "" : taken
  } rows[] = {
      {{{"arguments", {"a", "b"}}}, ""},
      {{{"arguments", "a"}},
       "context.arguments: it is not what the plugin fake takes: it must be a list of texts"},
      {{{"arguments", {1}}},
       "context.arguments: it is not what the plugin fake takes: it must be a list of texts"},
      {{{"command", {"/bin/sh"}}}, "context.command can't be set by a job: it is for the command"},
      {{{"query", "select"}}, "context.query is locked by the command"},
      {{{"pinned", 1}}, "context.pinned is locked by the command"},
      {{{"team", "data"}}, ""},
      {{{"parameters", {{"properties", {{"a", "b"}}}}}}, ""},
      {{{"parameters", {{"image", "x"}}}}, "context.parameters.image can't be set by a job"},
      {{{"parameters", {{"properties", 7}}}},
       "context.parameters.properties: it is not what the plugin fake takes: it must be a mapping"},
      {{{"parameters", 7}}, "context.parameters can't be set by a job"},
  };
  for (const auto& row : rows) {
    domain::JobSpec asked = spec();
    asked.context = row.context;
    const auto answer = try_submit(asked);
    EXPECT_EQ(answer.ok(), row.text.empty()) << boost::json::serialize(row.context) << answer.status();
    if (!row.text.empty()) {
      EXPECT_THAT(message(answer.status()), HasSubstr(row.text));
    }
  }
}

TEST_F(SubmitTest, TheExecutorSeesTheMergedContextBeforeAnythingIsStored) {
  command_.context = boost::json::object{{"a", 1}, {"p", {{"x", 1}, {"y", 1}}}};
  cluster_.context = boost::json::object{{"b", 2}, {"p", {{"y", 2}, {"z", 2}}}};
  boost::json::object seen;
  fake_->check_request = [&](const ports::JobRequest& request) {
    seen = request.context;
    return invalid("context.a must be a word");
  };
  start();
  domain::JobSpec asked = spec();
  asked.context = boost::json::object{{"c", 3}, {"p", {{"z", 3}}}};
  EXPECT_EQ(message(try_submit(asked).status()), "context.a must be a word");
  EXPECT_EQ(seen, (boost::json::object{{"a", 1}, {"p", {{"x", 1}, {"y", 2}, {"z", 3}}}, {"b", 2}, {"c", 3}}));
  EXPECT_TRUE(run(storage_->jobs().list({}, {}))->jobs.empty());
}

TEST_F(SubmitTest, TheSameKeyAnswersTheFirstJob) {
  start();
  const auto first = try_submit(spec(), caller(), "k");
  const auto again = try_submit(spec(), caller(), "k");
  ASSERT_TRUE(first.ok() && again.ok()) << again.status();
  EXPECT_EQ(first->job.id, again->job.id);
  EXPECT_TRUE(first->is_new);
  EXPECT_FALSE(again->is_new);
  const auto other_body = try_submit(spec("other"), caller(), "k");
  EXPECT_EQ(error_word(other_body.status()), "idempotency_conflict");
  const auto other_caller = try_submit(spec("other"), caller("bob"), "k");
  EXPECT_TRUE(other_caller.ok());
}

TEST_F(SubmitTest, TheOrderOfTagsAndMembersIsNotAnotherRequest) {
  start();
  domain::JobSpec one = spec();
  one.tags = {"a", "b"};
  one.context = boost::json::object{{"x", 1}, {"y", 2.0}};
  domain::JobSpec other = spec();
  other.tags = {"b", "a"};
  other.context = boost::json::object{{"y", 2}, {"x", 1.0}};
  const auto first = try_submit(one, caller(), "k");
  const auto again = try_submit(other, caller(), "k");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(first->job.id, again->job.id);
}

TEST_F(SubmitTest, QueuedPerUserRefusesTheNext) {
  options_.queued_per_user = 1;
  start();
  EXPECT_TRUE(try_submit(spec()).ok());
  EXPECT_EQ(try_submit(spec()).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(try_submit(spec(), caller("bob")).ok());
}

TEST_F(SubmitTest, InBulkABadOneDoesNotStopTheOthers) {
  start();
  const auto answers = run(
      engine().submitter().submit_all({spec("a"), spec("b", "type:none"), spec("c")}, false, "", caller()));
  ASSERT_TRUE(answers.ok());
  ASSERT_EQ(answers->size(), 3U);
  EXPECT_EQ((*answers)[0]->job.spec.name, "a");
  EXPECT_EQ(error_word((*answers)[1].status()), "no_route");
  EXPECT_EQ((*answers)[2]->job.spec.name, "c");
}

TEST_F(SubmitTest, AnAtomicBulkStoresAllOrNone) {
  start();
  const auto answers =
      run(engine().submitter().submit_all({spec("a"), spec("b", "type:none")}, true, "", caller()));
  ASSERT_TRUE(answers.ok());
  EXPECT_FALSE((*answers)[0].ok());
  EXPECT_EQ(error_word((*answers)[1].status()), "no_route");
  EXPECT_TRUE(run(storage_->jobs().list({}, {}))->jobs.empty());
}

TEST_F(SubmitTest, SynchronousCommandsAreRefusedInBulk) {
  start();
  const auto answers = run(engine().submitter().submit_all({spec("a", "type:sync")}, false, "", caller()));
  ASSERT_TRUE(answers.ok());
  EXPECT_THAT(message((*answers)[0].status()), HasSubstr("POST /job"));
}

TEST_F(SubmitTest, ARerunAsksForTheSameAgain) {
  start();
  domain::JobSpec asked = spec("n");
  asked.tags = {"t"};
  asked.context = boost::json::object{{"x", 1}};
  const JobId first = submit(asked);
  const auto same = run(engine().submitter().rerun(first, std::nullopt, caller(), ""));
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_NE(same->job.id, first);
  EXPECT_EQ(same->job.spec.rerun_of, first);
  EXPECT_THAT(same->job.spec.tags, ElementsAre("t"));
  EXPECT_EQ(same->job.spec.context, asked.context);
  const auto other =
      run(engine().submitter().rerun(first, boost::json::object{{"y", 2}}, caller("root", true), ""));
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(*other->job.spec.context, (boost::json::object{{"y", 2}}));
  EXPECT_EQ(run(engine().submitter().rerun(first, std::nullopt, caller("bob"), "")).status().code(),
            absl::StatusCode::kPermissionDenied);
}

TEST_F(SubmitTest, AKeyAnswersTheFirstJobWhenItsCommandIsGone) {
  start();
  const auto first = try_submit(spec(), caller(), "k");
  ASSERT_TRUE(first.ok()) << first.status();
  command_.status = domain::EntryStatus::kInactive;
  command_.allowed_callers = {"nobody"};
  ASSERT_TRUE(run(engine().reload(base(), options_)).ok());
  EXPECT_EQ(error_word(try_submit(spec()).status()), "no_route");
  const auto again = try_submit(spec(), caller(), "k");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->job.id, first->job.id);
  EXPECT_FALSE(again->is_new);
}

TEST_F(SubmitTest, AKeyAnswersTheFirstJobWhenTheCallerMayNoLonger) {
  start();
  const auto first = try_submit(spec(), caller(), "k");
  ASSERT_TRUE(first.ok()) << first.status();
  command_.allowed_callers = {"nobody"};
  ASSERT_TRUE(run(engine().reload(base(), options_)).ok());
  EXPECT_EQ(try_submit(spec()).status().code(), absl::StatusCode::kPermissionDenied);
  const auto again = try_submit(spec(), caller(), "k");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->job.id, first->job.id);
}

TEST_F(SubmitTest, ABulkKeyAnswersEachInItsPlaceWhenTheCommandIsGone) {
  start();
  const std::vector<domain::JobSpec> asked = {spec("b", "type:none"), spec("a"), spec("c")};
  const auto first = run(engine().submitter().submit_all(asked, false, "k", caller()));
  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_TRUE((*first)[1].ok() && (*first)[2].ok());
  command_.status = domain::EntryStatus::kInactive;
  ASSERT_TRUE(run(engine().reload(base(), options_)).ok());
  const auto again = run(engine().submitter().submit_all(asked, false, "k", caller()));
  ASSERT_TRUE(again.ok()) << again.status();
  ASSERT_EQ(again->size(), 3U);
  EXPECT_EQ((*again)[0].status().code(), absl::StatusCode::kNotFound) << "it was refused the first time";
  ASSERT_TRUE((*again)[1].ok() && (*again)[2].ok());
  EXPECT_EQ((*again)[1]->job.id, (*first)[1]->job.id);
  EXPECT_EQ((*again)[2]->job.id, (*first)[2]->job.id);
  EXPECT_FALSE((*again)[1]->is_new);
}

TEST_F(SubmitTest, ARerunWithAKeyIsOneJob) {
  start();
  const JobId first = submit();
  const auto once = run(engine().submitter().rerun(first, std::nullopt, caller(), "k"));
  ASSERT_TRUE(once.ok()) << once.status();
  EXPECT_EQ(once->job.spec.idempotency_key, "k");
  const auto again = run(engine().submitter().rerun(first, std::nullopt, caller(), "k"));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->job.id, once->job.id);
  EXPECT_FALSE(again->is_new);
  const auto other_context =
      run(engine().submitter().rerun(first, boost::json::object{{"x", 1}}, caller(), "k"));
  EXPECT_EQ(error_word(other_context.status()), "idempotency_conflict");
  const auto other_job = run(engine().submitter().rerun(once->job.id, std::nullopt, caller(), "k"));
  EXPECT_EQ(error_word(other_job.status()), "idempotency_conflict");
  EXPECT_EQ(error_word(try_submit(spec(), caller(), "k").status()), "idempotency_conflict");
}

}  // namespace
}  // namespace waybill::engine
