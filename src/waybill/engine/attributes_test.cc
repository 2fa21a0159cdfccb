#include "waybill/engine/attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "waybill/base/status.h"
#include "waybill/engine/test_kit.h"

namespace waybill::engine {
namespace {

using domain::Attribute;
using domain::AttributeKind;
using domain::AttributeShow;
using domain::AttributeTemplate;
using domain::JobStatus;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

AttributeTemplate text(const std::string& label, const std::string& value) {
  return {label, AttributeKind::kText, AttributeShow::kAlways, value};
}
AttributeTemplate link(const std::string& label, const std::string& value) {
  return {label, AttributeKind::kLink, AttributeShow::kAlways, value};
}

Rendered rendered(const std::vector<AttributeTemplate>& attributes, const domain::Outputs& outputs,
                  bool final, const domain::Attributes& before = {}) {
  const auto set = AttributeSet::make({}, attributes);
  EXPECT_TRUE(set.ok()) << set.status();
  gotemplate::Data data;
  data.job.name = "n";
  data.cluster = boost::json::object{{"url", "https://spark.example.com"}, {"host", "history.example.com"}};
  data.outputs = outputs;
  return render(**set, data, before, final, RenderOptions());
}

TEST(Attributes, TheClustersLabelWinsOverTheCommands) {
  const auto set = AttributeSet::make({text("A", "command"), text("B", "command")}, {text("B", "cluster")});
  ASSERT_TRUE(set.ok());
  ASSERT_EQ((*set)->items().size(), 2U);
  EXPECT_EQ((*set)->items()[0].source.label, "A");
  EXPECT_EQ((*set)->items()[0].position, 0);
  EXPECT_EQ((*set)->items()[1].source.value, "cluster");
  EXPECT_EQ((*set)->items()[1].position, 1);
}

TEST(Attributes, AMistakeIsNamedWithItsLabelAndPlace) {
  const auto set = AttributeSet::make({}, {text("Good", "x"), text("Bad", "a\n{{ .Nope.x }}")});
  EXPECT_EQ(set.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(message(set.status()), ::testing::StartsWith("Bad: 2:"));
}

TEST(Attributes, WhatIsNotThereYetIsLeftOutAndAtTheEndAnError) {
  const std::vector<AttributeTemplate> attributes = {text("App", "{{ .Outputs.app }}"),
                                                     text("Name", "{{ .Job.Name }}")};
  const Rendered now = rendered(attributes, {}, false);
  EXPECT_EQ(now.attributes.count("App"), 0U);
  EXPECT_EQ(now.attributes.at("Name").value, "n");
  EXPECT_THAT(now.errors, IsEmpty());
  const Rendered end = rendered(attributes, {}, true);
  EXPECT_THAT(end.errors.at("App"), HasSubstr("app"));
  EXPECT_EQ(end.errors.size(), 1U);
  const Rendered there = rendered(attributes, {{"app", "7"}}, true);
  EXPECT_EQ(there.attributes.at("App").value, "7");
  EXPECT_THAT(there.errors, IsEmpty());
}

TEST(Attributes, NoValueCountsAsMissing) {
  const std::vector<AttributeTemplate> attributes = {text("X", "[{{ index .Outputs \"x\" }}]")};
  EXPECT_THAT(rendered(attributes, {}, true).attributes, IsEmpty());
  EXPECT_EQ(rendered(attributes, {}, true).errors.count("X"), 1U);
  EXPECT_THAT(rendered(attributes, {}, false).errors, IsEmpty());
}

TEST(Attributes, AValueStaysWhenALaterRenderingOnlyLacksAKey) {
  const std::vector<AttributeTemplate> attributes = {text("App", "{{ .Outputs.app }}")};
  const domain::Attributes before = {
      {"App", Attribute{AttributeKind::kText, AttributeShow::kAlways, "7", 0}}};
  const Rendered end = rendered(attributes, {}, true, before);
  EXPECT_EQ(end.attributes, before);
  EXPECT_THAT(end.errors, IsEmpty());
}

TEST(Attributes, WhatOutputsMadeStaysWhereNobodyKnowsThemAnyMore) {
  const auto set = AttributeSet::make(
      {}, {text("App", "{{ get .Outputs `app` | default `none` }}"), text("Status", "{{ .Job.Status }}")});
  ASSERT_TRUE(set.ok());
  gotemplate::Data data;
  data.job.status = "KILLED";
  const domain::Attributes before = {
      {"App", Attribute{AttributeKind::kText, AttributeShow::kAlways, "7", 0}},
      {"Status", Attribute{AttributeKind::kText, AttributeShow::kAlways, "RUNNING", 1}}};
  RenderOptions options;
  options.outputs_known = false;
  const Rendered lost = render(**set, data, before, true, options);
  EXPECT_EQ(lost.attributes.at("App").value, "7");
  EXPECT_EQ(lost.attributes.at("Status").value, "KILLED");
  EXPECT_EQ(render(**set, data, {}, true, options).attributes.at("App").value, "none");
  EXPECT_EQ(render(**set, data, before, true, RenderOptions()).attributes.at("App").value, "none");
}

TEST(Attributes, OneBadAttributeAffectsNoOther) {
  const Rendered end = rendered({text("Bad", "{{ index .Job.Name 99 }}"), text("Good", "fine")}, {}, false);
  EXPECT_EQ(end.attributes.at("Good").value, "fine");
  EXPECT_EQ(end.attributes.count("Bad"), 0U);
  EXPECT_EQ(end.errors.count("Bad"), 1U);
}

TEST(Attributes, ALinkIsAnAbsoluteUrlOrElseAText) {
  const struct {
    std::string value;
    bool is_link;
  } rows[] = {{"https://docs.example.com/runbook", true},
              {"HTTP://x", true},
              {"{{ .Cluster.url }}/history?a=b#c", true},
              {"https://größe.example.com/½", true},
              {"{{ .Cluster.host }}/history", false},
              {"https://", false},
              {"https:///path", false},
              {"ftp://x/y", false},
              {"{{ \"javascript\" }}:alert(1)", false},
              {"{{ \"javascript\" }}://x/%0aalert(1)", false},
              {"https://x/a b", false},
              {"https://x/\"onclick=", false},
              {"//x/y", false}};
  for (const auto& row : rows) {
    const Rendered end = rendered({link("L", row.value)}, {}, true);
    ASSERT_EQ(end.attributes.count("L"), 1U) << row.value;
    EXPECT_EQ(end.attributes.at("L").kind == AttributeKind::kLink, row.is_link) << row.value;
    EXPECT_EQ(end.errors.count("L") == 0, row.is_link) << row.value;
  }
}

TEST(Attributes, ControlCharactersAndTooLongValuesAreRefused) {
  for (const std::string& bad : {std::string("a\nb"), std::string("a\x1b[31m"), std::string("a\x7f"),
                                 std::string("a\xc2\x85"), std::string(8193, 'x')}) {
    const Rendered end = rendered({text("X", "{{ .Outputs.x }}")}, {{"x", bad}}, false);
    EXPECT_THAT(end.attributes, IsEmpty());
    EXPECT_EQ(end.errors.count("X"), 1U);
  }
  EXPECT_EQ(
      rendered({text("X", "{{ .Outputs.x }}")}, {{"x", std::string(8192, 'x')}}, false).attributes.size(),
      1U);
}

TEST(Attributes, TemplatesSeeNoSecret) {
  domain::Job job;
  job.id = JobId("j");
  job.spec.context = boost::json::object{{"db_password", "hunter2"}, {"team", "data"}};
  domain::Command command;
  command.context = boost::json::object{{"api_token", "t0ken"}};
  domain::Cluster cluster;
  cluster.context = boost::json::object{{"deep", {{"secret", "s3cret"}}}};
  const gotemplate::Data data = template_data(job, command, cluster, {}, Redactor());
  const std::string all = boost::json::serialize(data.job.context) + boost::json::serialize(data.command) +
                          boost::json::serialize(data.cluster);
  for (const char* secret : {"hunter2", "t0ken", "s3cret"}) EXPECT_EQ(all.find(secret), std::string::npos);
  EXPECT_NE(all.find("data"), std::string::npos);
}

class AttributeLifeTest : public EngineTest {
 protected:
  AttributeLifeTest() {
    cluster_.attributes = {text("Status", "{{ .Job.Status }}"),
                           link("App", "https://spark/{{ .Outputs.app }}")};
  }
};

TEST_F(AttributeLifeTest, ALinkIsThereWhileTheJobRuns) {
  start();
  const JobId id = submit();
  advance_until(absl::ZeroDuration(), [&] { return job(id).attributes.count("Status") == 1; }, "the first");
  EXPECT_EQ(job(id).attributes.at("Status").value, "RUNNING");
  EXPECT_EQ(job(id).attributes.count("App"), 0U);
  EXPECT_THAT(job(id).attribute_errors, IsEmpty());
  fake_->find(id)->now.outputs = {{"app", "app-1"}};
  engine().nudge(id);
  advance_until(absl::ZeroDuration(), [&] { return job(id).attributes.count("App") == 1; }, "the link");
  EXPECT_EQ(job(id).attributes.at("App").value, "https://spark/app-1");
  EXPECT_EQ(job(id).attributes.at("App").position, 1);
  EXPECT_EQ(job(id).state.status, JobStatus::kRunning);
}

TEST_F(AttributeLifeTest, EveryEndRendersOnceMore) {
  start();
  const JobId failed = submit();
  wait_for(failed, JobStatus::kRunning);
  end_run(failed, ports::RunPhase::kFailed, "e");
  const domain::Job done = wait_for(failed, JobStatus::kFailed);
  EXPECT_EQ(done.attributes.at("Status").value, "FAILED");
  EXPECT_THAT(done.attribute_errors.at("App"), HasSubstr("app"));

  const JobId canceled = submit();
  wait_for(canceled, JobStatus::kRunning);
  ASSERT_TRUE(run(engine().canceler().cancel(canceled, caller())).ok());
  EXPECT_EQ(wait_for(canceled, JobStatus::kCanceled).attributes.at("Status").value, "CANCELED");
}

TEST_F(AttributeLifeTest, AJobThatIsCanceledInTheQueueIsRenderedToo) {
  options_.pool_size = 1;
  start();
  wait_for(submit(), JobStatus::kRunning);
  const JobId waiting = submit();
  ASSERT_TRUE(run(engine().canceler().cancel(waiting, caller())).ok());
  const domain::Job canceled = wait_for(waiting, JobStatus::kCanceled);
  EXPECT_EQ(canceled.attributes.at("Status").value, "CANCELED");
  EXPECT_THAT(canceled.attribute_errors.at("App"), HasSubstr("app"));
}

TEST_F(AttributeLifeTest, AStartThatBringsTheEndRendersItsOutputs) {
  fake_->ends_at_start = true;
  fake_->end.outputs = {{"app", "app-2"}};
  start();
  const JobId id = submit();
  const domain::Job done = wait_for(id, JobStatus::kSucceeded);
  EXPECT_EQ(done.attributes.at("App").value, "https://spark/app-2");
  EXPECT_EQ(done.attributes.at("Status").value, "SUCCEEDED");
}

TEST_F(AttributeLifeTest, AnAdminRendersAgainFromKeptOutputs) {
  options_.keep_outputs = true;
  fake_->ends_at_start = true;
  fake_->end.outputs = {{"app", "app-2"}};
  start();
  const JobId id = submit();
  wait_for(id, JobStatus::kSucceeded);
  cluster_.attributes = {link("App", "https://new/{{ .Outputs.app }}")};
  ASSERT_TRUE(run(engine().reload(base(), options_)).ok());
  EXPECT_EQ(run(engine().render_again(id, caller())).status().code(), absl::StatusCode::kPermissionDenied);
  const auto again = run(engine().render_again(id, caller("root", true)));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->attributes.at("App").value, "https://new/app-2");
  EXPECT_EQ(job(id).state.status, JobStatus::kSucceeded);
}

}  // namespace
}  // namespace waybill::engine
