// attributes preview against a scripted server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "tests/support/scripted_client.h"
#include "waybill/cli/failure.h"

namespace waybill::cli {
namespace {

namespace json = boost::json;
using testing::answers;
using testing::FakeConnection;
using testing::FakeRequest;
using ::testing::HasSubstr;
using testing::ScriptedClient;

json::value attribute(const char* label, const char* value) {
  return json::object{{"label", label}, {"value", value}};
}

// A program that reads one config, whatever the file.
LocalCommands with_config() {
  LocalCommands local;
  local.read_config = [](const std::string& file, Environment& environment) -> absl::StatusOr<ConfigEntries> {
    if (file == "bad.yaml") {
      environment.err << "error: bad.yaml:3:4: no\n";
      return usage_error("bad.yaml can't be used");
    }
    ConfigEntries entries;
    entries.clusters["c"] = {
        .id = "c", .attributes = {attribute("A", "a"), attribute("B", "b")}, .context = {{"url", "u"}}};
    entries.commands["w"] = {.id = "w-id",
                             .attributes = {attribute("Tool", "t"), attribute("B", "of command")},
                             .context = {{"tool", "sh"}}};
    return entries;
  };
  return local;
}

constexpr char kNothing[] = R"({"attributes":{},"errors":[]})";

struct PreviewTest : ::testing::Test {
  ScriptedClient cli{answers(200, kNothing)};
  int run(std::vector<std::string> args) {
    args.insert(args.begin(), {"attributes", "preview"});
    return cli.run(std::move(args), with_config());
  }
  json::object sent() { return json::parse(cli.server.requests().back().body).as_object(); }
};

TEST_F(PreviewTest, TemplatesAndContextsAreThoseOfTheConfig) {
  const std::string job = cli.write_file("job.json", R"({"name":"n"})");
  EXPECT_EQ(run({"-c", "w.yaml", "--cluster", "c", "--command", "w", "--job-file", job}), kOk) << cli.err;
  EXPECT_EQ(sent(), json::parse(R"({"cluster":"c","command":"w-id","sample":{"name":"n"},
      "cluster_context":{"url":"u"},"command_context":{"tool":"sh"},
      "attributes":[{"label":"Tool","value":"t"},{"label":"A","value":"a"},{"label":"B","value":"b"}]})"));
}

TEST_F(PreviewTest, AnEntryThatTheConfigHasNotIsAMistakeOfTheCommandLine) {
  EXPECT_EQ(run({"-c", "w.yaml", "--cluster", "other"}), kUsage);
  EXPECT_THAT(cli.err, HasSubstr("there is no cluster \"other\" in the config"));
  EXPECT_EQ(run({"-c", "w.yaml", "--cluster", "c", "--command", "other"}), kUsage);
  EXPECT_EQ(run({"-c", "bad.yaml", "--cluster", "c"}), kUsage);
  EXPECT_THAT(cli.err, HasSubstr("bad.yaml:3:4: no\n"));
  EXPECT_EQ(run({}), kUsage);
  EXPECT_TRUE(cli.server.requests().empty());
}

TEST_F(PreviewTest, OutputsAreTextsOfFlagsAndFiles) {
  const std::string file = cli.write_file("out.yaml", "app: app-1\nrows: 42\nlate: x\n");
  EXPECT_EQ(run({"--cluster", "c", "--outputs", "@" + file, "late=a=b", "--outputs", "empty="}), kOk)
      << cli.err;
  EXPECT_EQ(sent().at("outputs"), json::parse(R"({"app":"app-1","rows":"42","late":"a=b","empty":""})"));
  const std::string list = cli.write_file("list.yaml", "[1]");
  const std::string deep = cli.write_file("deep.yaml", "a: {b: c}");
  for (const std::string& wrong : {std::string("word"), std::string("=x"), "@" + list, "@" + deep,
                                   std::string("@/nowhere"), std::string("a=\xff")}) {
    EXPECT_EQ(run({"--cluster", "c", "--outputs", wrong}), kUsage) << wrong;
  }
}

TEST_F(PreviewTest, OfAJobItsOwnCommandAndClusterCount) {
  ScriptedClient jobs([](const FakeRequest& request, const FakeConnection& connection) {
    connection.answer(200,
                      request.method == "GET" ? R"({"id":"j","command_id":"w","cluster_id":"c"})" : kNothing);
  });
  EXPECT_EQ(jobs.run({"attributes", "preview", "-c", "w.yaml", "--job", "j"}, with_config()), kOk)
      << jobs.err;
  const json::object body = json::parse(jobs.server.requests().back().body).as_object();
  EXPECT_EQ(body.at("job_id"), "j");
  EXPECT_EQ(body.at("command_context").at("tool"), "sh");
  EXPECT_EQ(body.at("cluster_context").at("url"), "u");
  EXPECT_EQ(run({"--job", "j", "--job-file", "x"}), kUsage);
}

TEST_F(PreviewTest, AnErrorIsShownWithItsPlaceAndIsAFailure) {
  ScriptedClient failing(answers(
      200,
      R"({"attributes":{"A":{"kind":"text","value":"v"}},"errors":[{"label":"B","error":"no such thing","line":1,"column":4}]})"));
  EXPECT_EQ(failing.run({"attributes", "preview", "--cluster", "c"}), kError);
  EXPECT_THAT(failing.out, HasSubstr("A      text   v"));
  EXPECT_THAT(failing.out, HasSubstr("B      error  1:4: no such thing"));
}

}  // namespace
}  // namespace waybill::cli
