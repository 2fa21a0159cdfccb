#include "waybill/config/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <fstream>
#include <sstream>
#include <string>

#include "waybill/base/redact.h"
#include "waybill/config/schema.h"
#include "waybill/config/test_plugins.h"
#include "waybill/config/yaml_tree.h"

namespace waybill::config {
namespace {
namespace json = boost::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Loaded load_it(const std::string& text) { return load_text(text, "f.yaml", test_options()); }

std::string first_mistake(const std::string& text) {
  const Loaded loaded = load_it(text);
  return loaded.mistakes.empty() ? "" : format_mistake(loaded.mistakes.front());
}

Config config_of(const std::string& text) {
  Loaded loaded = load_it(text);
  for (const Mistake& one : loaded.mistakes) ADD_FAILURE() << format_mistake(one);
  return loaded.config ? *std::move(loaded.config) : Config();
}

TEST(Defaults, ServeOneMachineOnSqlite) {
  const Config config = defaults();
  EXPECT_EQ(config.server.addr, "127.0.0.1:9090");
  EXPECT_EQ(config.server.grpc_addr, "127.0.0.1:6565");
  EXPECT_EQ(config.server.max_body_bytes, 1048576u);
  EXPECT_EQ(config.server.read_timeout, absl::Seconds(30));
  EXPECT_EQ(config.server.max_connections, 10000);
  EXPECT_EQ(config.database.connection_string.reveal(), "sqlite:./waybill.db");
  EXPECT_EQ(config.database.pool_size, 8);
  EXPECT_EQ(config.pool.size, 5);
  EXPECT_EQ(config.pool.sleep, absl::Milliseconds(500));
  EXPECT_EQ(config.pool.max_remote, 10000);
  EXPECT_EQ(config.pool.sync_size, 16);
  EXPECT_THAT(config.roles, ElementsAre("api", "worker", "watcher", "janitor"));
  EXPECT_EQ(config.jobs_directory, "./jobs");
  EXPECT_EQ(config.auth.mode, AuthMode::kHeader);
  EXPECT_EQ(config.auth.header, "X-Heimdall-User");
  EXPECT_THAT(config.auth.trusted_proxies, ElementsAre("127.0.0.0/8", "::1"));
  EXPECT_THAT(config.auth.catalog_writers, IsEmpty());
  EXPECT_EQ(config.janitor.finished_job_retention, absl::Hours(14 * 24));
  EXPECT_EQ(config.janitor.record_retention, absl::Hours(365 * 24));
  EXPECT_EQ(config.janitor.stale_job, absl::Seconds(45));
  EXPECT_EQ(config.health_check.timeout, absl::Seconds(30));
  EXPECT_EQ(config.limits.result_rows, 100000u);
  EXPECT_EQ(config.limits.log_bytes, 104857600u);
  EXPECT_EQ(config.limits.context_depth, 32u);
  EXPECT_EQ(config.idempotency, absl::Hours(24));
  EXPECT_EQ(config.host_lost_after, absl::Minutes(15));
  EXPECT_THAT(config.attribute_link_schemes, ElementsAre("http", "https"));
  EXPECT_THAT(config.secret_keys, ElementsAre("password", "token", "secret", "credential", "private_key"));
  EXPECT_FALSE(config.feature_store.has_value());
}

TEST(Defaults, HaveALocalhostThatPingsAndRunsShellLines) {
  const domain::Catalog base = defaults().base;
  ASSERT_EQ(base.commands.size(), 2u);
  ASSERT_EQ(base.clusters.size(), 1u);
  const domain::Command& shell = *base.commands.at(CommandId("shell"));
  EXPECT_EQ(shell.plugin, "shell");
  EXPECT_THAT(shell.tags, ElementsAre("type:shell"));
  EXPECT_THAT(shell.cluster_tags, ElementsAre("type:localhost"));
  EXPECT_EQ(json::serialize(*shell.context), R"({"command":["/bin/sh","-c"]})");
  EXPECT_EQ(base.commands.at(CommandId("ping"))->plugin, "ping");
  EXPECT_THAT(base.clusters.at(ClusterId("localhost"))->tags, ElementsAre("type:localhost"));
}

TEST(Defaults, LeaveTheShellOutWhereTheServerCanBeReachedFromElsewhere) {
  const Config config = config_of("server: {addr: ':9090'}\n");
  EXPECT_TRUE(config.base.commands.contains(CommandId("ping")));
  EXPECT_FALSE(config.base.commands.contains(CommandId("shell")));
}

TEST(Load, AFileThatIsNotThereIsAMistakeOfThatFile) {
  const Loaded loaded = load("/nonexistent/waybill.yaml");
  ASSERT_EQ(loaded.mistakes.size(), 1u);
  EXPECT_EQ(format_mistake(loaded.mistakes[0]),
            "/nonexistent/waybill.yaml: the file can't be read: No such file or directory");
}

TEST(Load, AFolderIsNoFile) { EXPECT_FALSE(load("/tmp").ok()); }

TEST(Load, WithoutAPathThereIsNoFile) { EXPECT_TRUE(load("", test_options()).ok()); }

TEST(Load, AFileAboveFourMebibytesIsRefused) {
  EXPECT_EQ(first_mistake("# " + std::string(kMaxYamlBytes, 'x')),
            "f.yaml: the file has 4194306 bytes: at most 4194304 are read");
}

TEST(Load, AliasesThatUnfoldWithoutEndAreRefused) {
  std::string bomb = "a: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string name = "*a" + std::to_string(i - 1);
    bomb += "b" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) bomb += (k > 0 ? ", " : "") + name;
    bomb += "]\n";
  }
  EXPECT_THAT(first_mistake(bomb), HasSubstr("it unfolds to more than 100000 values or 32 MiB"));
}

TEST(Load, DeepNestingIsRefused) {
  EXPECT_THAT(first_mistake("a: " + std::string(100000, '[')),
              HasSubstr("it is nested deeper than 64 levels"));
  EXPECT_EQ(first_mistake("keep_outputs: " + std::string(64, '[') + std::string(64, ']')),
            "f.yaml:1:78: it is nested deeper than 64 levels");
}

TEST(Load, ManyFaultsAreToldOfUpToALimit) {
  std::string references = "jobs_directory: '";
  for (int i = 0; i < 100'000; ++i) references += "${env:WB_NO}";
  EXPECT_EQ(load_it(references + "'\n").mistakes.size(), 10u);
  // None of these is closed, and each could have all that follows as its default.
  std::string unclosed = "jobs_directory: '";
  for (int i = 0; i < 100'000; ++i) unclosed += "${env:A:-";
  EXPECT_EQ(load_it(unclosed + "'\n").mistakes.size(), 1u);
  std::string words = "roles:\n";
  for (int i = 0; i < 20'000; ++i) words += "- x\n";
  EXPECT_EQ(load_it(words).mistakes.size(), 1000u);
}

TEST(Load, SecretsAreInNoMistake) {
  for (const char* text : {"database: {connection_string: 'mysql://u:hunter2@h/d'}\n",
                           "database: {connection_string: [hunter2]}\n",
                           "database: {connection_string: 'mysql://u:${env:WB_DB_PASSWORD}@h'}\n"}) {
    const std::string said = first_mistake(text);
    EXPECT_THAT(said, HasSubstr("database.connection_string"));
    EXPECT_THAT(said, Not(HasSubstr("hunter2")));
  }
}

TEST(Load, VariablesComeIntoSettingsOfAnyType) {
  const Config config = config_of(
      "pool:\n  size: '${env:WB_SIZE}'\n  sleep: ${env:WB_NONE:-250}\n"
      "jobs_directory: /data/${env:WB_WORD}/${project}\n");
  EXPECT_EQ(config.pool.size, 7);
  EXPECT_EQ(config.pool.sleep, absl::Milliseconds(250));
  EXPECT_EQ(config.jobs_directory, "/data/word/${project}");
}

TEST(Load, SecretsOfSettingsAreReadFromFilesAndVariables) {
  std::string name = "/tmp/waybill_config_XXXXXX";
  const int fd = mkstemp(name.data());
  ASSERT_GE(fd, 0);
  close(fd);
  std::ofstream(name) << "postgres://u:hunter2@h/d\n";
  const Config config = config_of("database: {connection_string: !file " + name + "}\n");
  unlink(name.c_str());
  EXPECT_EQ(config.database.connection_string.reveal(), "postgres://u:hunter2@h/d");
  EXPECT_THAT(show(config), Not(HasSubstr("hunter2")));
  EXPECT_THAT(show(config), HasSubstr("postgres://u:***@h/d"));
}

TEST(Load, SecretsOfContextsStayReferences) {
  const Config config = config_of(R"(
commands:
  - name: report
    plugin: postgres
    cluster_tags: [pg]
clusters:
  - name: pg
    tags: [pg]
    context:
      password: !env WB_DB_PASSWORD
      api_token: x-${env:WB_WORD}
      dsn: postgres://u:hunter2@h/d
      url: http://u:${env:WB_DB_PASSWORD}@h
      region: ${env:WB_WORD}
      size: ${env:WB_SIZE}
      text: "${env:WB_SIZE}"
)");
  const json::object& context = *config.base.clusters.at(ClusterId("pg"))->context;
  EXPECT_EQ(json::value(context), json::parse(R"({
    "password": {"$secret": {"env": "WB_DB_PASSWORD"}},
    "api_token": {"$secret": {"text": "x-${env:WB_WORD}"}},
    "dsn": {"$secret": {"text": "postgres://u:hunter2@h/d"}},
    "url": {"$secret": {"text": "http://u:${env:WB_DB_PASSWORD}@h"}},
    "region": "word", "size": 7, "text": "7"})"));
  EXPECT_THAT(show(config), Not(HasSubstr("hunter2")));
  EXPECT_THAT(json::serialize(Redactor().masked(context)), Not(HasSubstr("hunter2")));
}

TEST(Load, MappingsMergeAsInHeimdall) {
  const Config config = config_of(R"(
clusters:
  - name: a
    context: &base {region: north, size: 1}
  - name: b
    context:
      <<: *base
      size: 2
)");
  EXPECT_EQ(json::value(*config.base.clusters.at(ClusterId("b"))->context),
            json::parse(R"({"size": 2, "region": "north"})"));
}

TEST(Load, ARevisionIsOfTheEntryAndNothingElse) {
  const std::string entry = "clusters: [{name: a, tags: [x, y], context: {p: !env WB_DB_PASSWORD}}]\n";
  const auto revision = [](const std::string& text) {
    return config_of(text).base.clusters.at(ClusterId("a"))->revision;
  };
  EXPECT_EQ(revision(entry).size(), 64u);
  EXPECT_EQ(revision(entry), revision("pool: {size: 3}\n" + entry));
  EXPECT_EQ(revision(entry),
            revision("clusters: [{id: a, name: a, tags: [y, x, x], context: {p: !env WB_DB_PASSWORD}}]\n"));
  EXPECT_NE(revision(entry), revision("clusters: [{name: a, tags: [x, y], context: {p: !env WB_WORD}}]\n"));
  EXPECT_NE(revision("clusters: [{name: a, attributes: {A: {value: 1}, B: {value: 2}}}]\n"),
            revision("clusters: [{name: a, attributes: {B: {value: 2}, A: {value: 1}}}]\n"));
}

TEST(Load, AttributesKeepTheirOrder) {
  const Config config = config_of(
      "clusters: [{name: a, attributes: {Z: {value: 1}, A: {kind: text, value: 2, show: failed}}}]\n");
  const auto& attributes = config.base.clusters.at(ClusterId("a"))->attributes;
  ASSERT_EQ(attributes.size(), 2u);
  EXPECT_EQ(attributes[0], (domain::AttributeTemplate{"Z", domain::AttributeKind::kUnset,
                                                      domain::AttributeShow::kAlways, "1"}));
  EXPECT_EQ(attributes[1], (domain::AttributeTemplate{"A", domain::AttributeKind::kText,
                                                      domain::AttributeShow::kFailed, "2"}));
}

TEST(Heimdall, ItsAuthPluginMeansTheHeaderAndAnOpenCatalog) {
  const Config config = config_of("auth:\n  plugin: ./plugins/auth_header.so\n  context: {header: X-Who}\n");
  EXPECT_EQ(config.auth.mode, AuthMode::kHeader);
  EXPECT_EQ(config.auth.header, "X-Who");
  EXPECT_THAT(config.auth.catalog_writers, ElementsAre(".*"));
  const Config closed = config_of("auth: {plugin: a.so, catalog_writers: [ann]}\n");
  EXPECT_THAT(closed.auth.catalog_writers, ElementsAre("ann"));
}

TEST(Show, SaysWhereEachValueCameFrom) {
  const std::string shown = show(config_of("pool:\n  size: 9\n  sleep: ${env:WB_SIZE}\n"));
  EXPECT_THAT(shown, HasSubstr("  size: 9  # file, line 2\n"));
  EXPECT_THAT(shown, HasSubstr("  sleep: 7  # environment, by line 3\n"));
  EXPECT_THAT(shown, HasSubstr("  max_remote: 10000  # default\n"));
}

TEST(Reload, AppliesLimitsAndTheCatalogAndReportsWhatNeedsARestart) {
  const Config running = config_of("pool: {size: 5}\nclusters: [{name: a}, {name: b}]\n");
  const Config loaded = config_of(
      "pool: {size: 6}\nserver: {addr: '127.0.0.1:1'}\nclusters: [{name: a, weight: 2}, {name: c}]\n"
      "history: [{cluster: a}]\n");
  const ReloadDiff changes = diff(running, loaded);
  EXPECT_THAT(changes.applied, ElementsAre("pool.size", "clusters[a]", "clusters[b]", "clusters[c]"));
  EXPECT_THAT(changes.needs_restart, ElementsAre("server.addr", "history"));
  const Config now = reloaded(running, loaded);
  EXPECT_EQ(now.pool.size, 6);
  EXPECT_EQ(now.server.addr, "127.0.0.1:9090");
  EXPECT_THAT(now.history, IsEmpty());
  EXPECT_TRUE(now.base.clusters.contains(ClusterId("c")));
  EXPECT_THAT(diff(running, now).needs_restart, IsEmpty());
}

std::string file_text(const char* path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

TEST(Generated, FilesAreThoseOfTheSchema) {
  EXPECT_EQ(file_text("docs/configuration.md"), generate_markdown());
  EXPECT_EQ(file_text("docs/waybill.schema.json"), generate_json_schema());
}

// "commands[].name" -> properties.commands.items.properties.name, and so on for "{}".
const json::value* find_in_schema(const json::value& schema, const std::string& name) {
  std::string pointer;
  std::istringstream parts(name);
  for (std::string part; std::getline(parts, part, '.');) {
    const bool list = part.ends_with("[]");
    const bool map = part.ends_with("{}");
    if (list || map) part.resize(part.size() - 2);
    pointer += "/properties/" + part;
    if (list) pointer += "/items";
    if (map) pointer += "/additionalProperties";
  }
  boost::system::error_code missing;
  return schema.find_pointer(pointer, missing);
}

TEST(Generated, TheJsonSchemaIsClosedAndKnowsEverySetting) {
  const json::value schema_json = json::parse(generate_json_schema());
  EXPECT_EQ(schema_json.at("additionalProperties"), json::value(false));
  EXPECT_EQ(schema_json.at("properties").at("server").at("additionalProperties"), json::value(false));
  for (const Setting& setting : schema()) {
    const json::value* found = find_in_schema(schema_json, setting.name);
    ASSERT_NE(found, nullptr) << setting.name;
    EXPECT_EQ(found->at("description"), json::value(setting.what));
  }
}

// Each example is one that the checker takes.
TEST(Schema, EverySettingSaysWhatItIsAndHasAnExample) {
  for (const Setting& setting : schema()) {
    EXPECT_FALSE(setting.what.empty()) << setting.name;
    EXPECT_FALSE(setting.example.empty()) << setting.name;
    if (setting.assign == nullptr) continue;
    std::string text;
    std::istringstream parts(setting.name);
    std::string indent;
    for (std::string part; std::getline(parts, part, '.'); indent += "  ") {
      text += (text.empty() ? "" : "\n") + indent + part + ":";
    }
    // A reference to the environment in an example is not set here.
    const std::string example(setting.example);
    if (example.find("${env:") != std::string::npos) continue;
    for (const Mistake& one : load_it(text + " " + example + "\n").mistakes) {
      // That one setting needs another is said in other words.
      EXPECT_THAT(one.text, Not(HasSubstr("is not allowed"))) << format_mistake(one);
    }
  }
}

}  // namespace
}  // namespace waybill::config
