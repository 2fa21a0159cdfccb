#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "waybill/base/status.h"
#include "waybill/domain/catalog_json.h"
#include "waybill/engine/test_kit.h"

// Commands and clusters: the config's, what is PUT over it, and what a job keeps of them.
namespace waybill::engine {
namespace {

using domain::EntryOrigin;
using domain::EntryStatus;
using domain::JobStatus;
using ::testing::HasSubstr;

class CatalogTest : public EngineTest {
 protected:
  domain::Command command(const std::string& id = "fake") {
    return *engine().catalog().current()->commands.at(CommandId(id));
  }
  domain::Command extra() const {
    domain::Command made = command_;
    made.id = CommandId("extra");
    made.name = "extra";
    made.tags = {"type:extra"};
    return made;
  }
  const domain::Caller admin_ = caller("root", true);
};

TEST_F(CatalogTest, APutCountsAtOnceAndSurvivesARestart) {
  start();
  const auto put = run(engine().catalog().put_command(extra(), admin_));
  ASSERT_TRUE(put.ok()) << put.status();
  EXPECT_EQ((*put)->origin, EntryOrigin::kApi);
  EXPECT_EQ((*put)->user, "root");
  EXPECT_TRUE(try_submit(spec("n", "type:extra")).ok());
  crash();
  start();
  EXPECT_TRUE(try_submit(spec("n", "type:extra")).ok());
}

TEST_F(CatalogTest, APutCountsOnEveryInstance) {
  Engine& a = start("a");
  Engine& b = start("b");
  ASSERT_TRUE(run(a.catalog().put_command(extra(), admin_)).ok());
  wait_until([&] { return b.catalog().current()->commands.count(CommandId("extra")) == 1; }, "the notice");
}

TEST_F(CatalogTest, AStatusCountsAtOnce) {
  start();
  const auto put = run(engine().catalog().put_status(CommandId("fake"), EntryStatus::kInactive, admin_));
  ASSERT_TRUE(put.ok());
  EXPECT_EQ((*put)->status, EntryStatus::kInactive);
  EXPECT_EQ((*put)->user, "root");
  EXPECT_EQ(error_word(try_submit(spec()).status()), "no_route");
  ASSERT_TRUE(run(engine().catalog().put_status(CommandId("fake"), EntryStatus::kActive, admin_)).ok());
  EXPECT_TRUE(try_submit(spec()).ok());
  EXPECT_EQ(
      run(engine().catalog().put_status(CommandId("nope"), EntryStatus::kActive, admin_)).status().code(),
      absl::StatusCode::kNotFound);
}

TEST_F(CatalogTest, AStatusOverAPutEntryKeepsTheEntry) {
  start();
  ASSERT_TRUE(run(engine().catalog().put_command(extra(), admin_)).ok());
  ASSERT_TRUE(run(engine().catalog().put_status(CommandId("extra"), EntryStatus::kDeleted, admin_)).ok());
  EXPECT_EQ(command("extra").status, EntryStatus::kDeleted);
  EXPECT_EQ(command("extra").tags, extra().tags);
}

TEST_F(CatalogTest, AContextThatTheExecutorCantTakeIsRefusedWhereItIsPut) {
  ports::ContextKey env;
  env.name = "env";
  env.type = ports::ContextType::kObject;
  env.levels = static_cast<unsigned>(ports::ContextLevel::kCommand) |
               static_cast<unsigned>(ports::ContextLevel::kCluster);
  env.check = [](const boost::json::value& value) {
    return value.get_object().contains("bad") ? invalid("bad is no name") : absl::OkStatus();
  };
  fake_->edit_traits().keys = {env};
  start();
  const struct {
    boost::json::object context;
    std::string text;  // "" : taken
  } rows[] = {
      {{{"env", {{"A", "1"}}}}, ""},
      {{{"env", nullptr}}, ""},
      {{{"other", 7}}, ""},
      {{{"env", "A=1"}}, "context.env: it is not what the plugin fake takes: it must be a mapping"},
      {{{"env", {{"bad", 1}}}}, "context.env: bad is no name"},
  };
  for (const auto& row : rows) {
    domain::Command command = extra();
    command.context = row.context;
    domain::Cluster cluster = cluster_;
    cluster.context = row.context;
    const auto put_command = run(engine().catalog().put_command(command, admin_));
    const auto put_cluster = run(engine().catalog().put_cluster(cluster, admin_));
    EXPECT_EQ(message(put_command.status()), row.text);
    EXPECT_EQ(message(put_cluster.status()), row.text);
  }
  // What no command that can come here reads is the templates'.
  domain::Cluster elsewhere = cluster_;
  elsewhere.id = ClusterId("elsewhere");
  elsewhere.tags = {"where:else"};
  elsewhere.context = boost::json::object{{"env", 7}};
  EXPECT_TRUE(run(engine().catalog().put_cluster(elsewhere, admin_)).ok());
}

TEST_F(CatalogTest, DroppingAnOverrideBringsTheConfigsEntryBack) {
  start();
  domain::Command changed = command_;
  changed.description = "changed";
  ASSERT_TRUE(run(engine().catalog().put_command(changed, admin_)).ok());
  EXPECT_EQ(command().description, "changed");
  EXPECT_EQ(command().origin, EntryOrigin::kOverride);
  const auto drop = [&] {
    return run(engine().catalog().drop_override(ports::EntryKind::kCommand, "fake", admin_));
  };
  EXPECT_TRUE(drop().ok());
  EXPECT_EQ(command().description, "");
  EXPECT_EQ(command().origin, EntryOrigin::kConfig);
  EXPECT_EQ(error_word(drop()), "no_override");
}

TEST_F(CatalogTest, AnOverrideGoesWhenItsEntryChangesInTheConfigAndOnlyThen) {
  start();
  domain::Command changed = command_;
  changed.description = "put";
  domain::Cluster cluster = cluster_;
  cluster.description = "put";
  ASSERT_TRUE(run(engine().catalog().put_command(changed, admin_)).ok());
  ASSERT_TRUE(run(engine().catalog().put_cluster(cluster, admin_)).ok());
  ASSERT_TRUE(run(engine().reload(base(), options_)).ok());
  EXPECT_EQ(command().description, "put");
  command_.description = "config";
  ASSERT_TRUE(run(engine().reload(base(), options_)).ok());
  EXPECT_EQ(command().description, "config");
  EXPECT_EQ(engine().catalog().current()->clusters.at(ClusterId("here"))->description, "put");
}

TEST_F(CatalogTest, OnlyCatalogWritersAndAdminsMay) {
  start();
  EXPECT_EQ(run(engine().catalog().put_command(extra(), caller())).status().code(),
            absl::StatusCode::kPermissionDenied);
  domain::Caller writer = caller("w");
  writer.may_write_catalog = true;
  EXPECT_TRUE(run(engine().catalog().put_command(extra(), writer)).ok());
  EXPECT_EQ(run(engine().catalog().drop_override(ports::EntryKind::kCommand, "extra", writer)).code(),
            absl::StatusCode::kPermissionDenied);
}

TEST_F(CatalogTest, WhatCantBeAnEntryIsRefusedWithItsMember) {
  start();
  const struct {
    std::function<void(domain::Command&)> edit;
    std::string text;
  } rows[] = {
      {[](auto& c) { c.name = ""; }, "name is missing"},
      {[](auto& c) { c.plugin = "nope"; }, "plugin \"nope\" is not known: it must be one of fake"},
      {[](auto& c) { c.allowed_callers = {"("}; }, "allowed_callers: \"(\" is not a pattern"},
      {[](auto& c) { c.allowed_callers = {"team-.*", " "}; }, "allowed_callers: a pattern is empty"},
      {[](auto& c) { c.max_attempts = 0; }, "max_attempts is 0"},
      {[](auto& c) { c.timeout = absl::Hours(24 * 3661); },
       "timeout_seconds is 316310400: it must be at most"},
      {[](auto& c) { c.id = CommandId("a\nb"); }, "id has a control character"},
      {[](auto& c) { c.name = "a\x1b[2J"; }, "name has a control character"},
      {[](auto& c) { c.version = "1\xc2\x9b"; }, "version has a control character"},
      {[](auto& c) { c.attributes = {{"L\n", domain::AttributeKind::kText, {}, "x"}}; },
       "the label \"L\n\" has a control character"},
      {[](auto& c) {
         c.tags = std::vector<std::string>(65, "x");
         c.tags[0] = "y";
         for (int i = 0; i < 65; ++i) c.tags[static_cast<std::size_t>(i)] += std::to_string(i);
       },
       "tags has 65 entries"},
      {[](auto& c) { c.context = boost::json::object{{"a", {{"$secret", {{"file", "/x"}}}}}}; }, "$secret"},
      {[](auto& c) { c.context = boost::json::object{{"api_token", "***"}}; },
       "context.api_token is \"***\""},
      {[](auto& c) { c.context = boost::json::parse(R"({"list":[{"dsn":"***"}]})").as_object(); },
       "context.list[0].dsn is \"***\""},
      {[](auto& c) { c.attributes = {{"L", domain::AttributeKind::kText, {}, "{{ .Nope.x }}"}}; }, "L: 1:"},
      {[](auto& c) { c.attributes = {{"L", domain::AttributeKind::kLink, {}, "docs.example.com"}}; },
       "is not a link"},
      // As in a config: a scheme that an action may complete is not one that is there.
      {[](auto& c) {
         c.attributes = {{"L", domain::AttributeKind::kLink, {}, "http{{if true}}s{{end}}://h"}};
       },
       "attributes.L.value: \"http\" is not a link: it must begin with http:// or https://"},
      {[](auto& c) { c.attributes = {{"L", domain::AttributeKind::kLink, {}, "javascript:alert(1)"}}; },
       "is not a link"},
  };
  for (const auto& row : rows) {
    domain::Command entry = extra();
    row.edit(entry);
    const auto refused = run(engine().catalog().put_command(entry, admin_));
    EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument) << row.text;
    EXPECT_THAT(message(refused.status()), HasSubstr(row.text));
  }
}

TEST_F(CatalogTest, AJobUsesItsRevisionToItsEndAlsoWhenTheEntryHasGone) {
  command_.context = boost::json::object{{"which", "old"}};
  options_.roles = {"api"};
  start();
  const JobId id = submit();
  crash();
  command_.id = CommandId("other");
  command_.context = boost::json::object{{"which", "new"}};
  options_.roles = {"api", "worker"};
  start();
  wait_for(id, JobStatus::kRunning);
  EXPECT_EQ(fake_->requests.at(0)->context.at("which"), "old");
}

TEST_F(CatalogTest, ARunningJobSurvivesAReload) {
  start();
  const JobId id = submit();
  wait_for(id, JobStatus::kRunning);
  command_.description = "new";
  ASSERT_TRUE(run(engine().reload(base(), options_)).ok());
  end_run(id);
  wait_for(id, JobStatus::kSucceeded);
}

TEST_F(CatalogTest, ADeletedCommandKillsWhatHasNotStarted) {
  options_.pool_size = 1;
  fake_->edit_traits().host_local = true;
  start();
  const JobId running = submit();
  const JobId waiting = submit();
  wait_for(running, JobStatus::kRunning);
  ASSERT_TRUE(run(engine().catalog().put_status(CommandId("fake"), EntryStatus::kDeleted, admin_)).ok());
  end_run(running);
  wait_for(running, JobStatus::kSucceeded);
  const domain::Job killed = advance_to_end(waiting);
  EXPECT_EQ(killed.state.status, JobStatus::kKilled);
  EXPECT_EQ(killed.state.reason, domain::EndReason::kCommandRemoved);
  EXPECT_EQ(fake_->runs_of(waiting), 0);
}

TEST(CatalogJson, AnEntryComesBackAsItWas) {
  domain::Command command;
  command.id = CommandId("i");
  command.name = "n";
  command.version = "1";
  command.description = "d";
  command.user = "u";
  command.status = EntryStatus::kInactive;
  command.tags = {"a", "b"};
  command.context = boost::json::object{{"big", 18446744073709551615ULL}, {"half", 0.5}, {"n", -1}};
  command.attributes = {{"Z", domain::AttributeKind::kLink, domain::AttributeShow::kFailed, "https://x"},
                        {"A", domain::AttributeKind::kUnset, domain::AttributeShow::kAlways, "y"}};
  command.plugin = "p";
  command.is_sync = true;
  command.store_result_sync = true;
  command.cluster_tags = {"c"};
  command.allowed_callers = {"d"};
  command.locked_context = {"e"};
  command.timeout = absl::Milliseconds(1500);
  command.max_attempts = 4;
  const boost::json::object json = to_json(command);
  const auto back = domain::command_from_json(boost::json::value(json));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(to_json(*back), json);
  EXPECT_EQ(back->attributes, command.attributes);
  EXPECT_EQ(back->timeout, command.timeout);
  EXPECT_TRUE(back->context->at("big").is_uint64());
  EXPECT_EQ(back->status, EntryStatus::kInactive);

  domain::Cluster cluster;
  cluster.id = ClusterId("k");
  cluster.name = "n";
  cluster.weight = 2.5;
  cluster.health_check = true;
  cluster.rbacs = {"r"};
  const auto same = domain::cluster_from_json(boost::json::value(to_json(cluster)));
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(to_json(*same), to_json(cluster));
}

TEST(CatalogJson, WhatIsStoredWrongIsAnErrorAndNoCrash) {
  for (const char* text :
       {"null", "[]", R"({"status":"ACTIVE","tags":1})", R"({"status":"no"})",
        R"({"status":"ACTIVE","attributes":[{"kind":"html"}]})", R"({"status":"ACTIVE","context":[]})"}) {
    EXPECT_FALSE(domain::command_from_json(boost::json::parse(text)).ok()) << text;
  }
}

}  // namespace
}  // namespace waybill::engine
