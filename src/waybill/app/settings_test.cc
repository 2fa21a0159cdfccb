#include "waybill/app/settings.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "waybill/app/config_commands.h"
#include "waybill/base/ids.h"
#include "waybill/config/schema.h"

namespace waybill::app {
namespace {

// What a reload hands to the parts of a running server.
struct Handed {
  engine::EngineOptions engine;
  rest::RestOptions rest;
  ports::RunLimits runs;
  config::Config config;  // what is asked of it call by call
};

std::string text(absl::Duration duration) { return absl::FormatDuration(duration); }
std::string text(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ",")); }
template <class T>
std::string text(const T& value) {
  return fmt::format("{}", value);
}

using Reading = std::function<std::string(const Handed&)>;
#define WB_READS(member) [](const Handed& handed) { return text(handed.member); }

// Where each setting that counts after a reload arrives.
const std::map<std::string, Reading> kArrivals = {
    {"server.max_body_bytes", WB_READS(rest.http.max_body_bytes)},
    {"server.max_header_bytes", WB_READS(rest.http.max_header_bytes)},
    {"server.read_timeout", WB_READS(rest.http.read_timeout)},
    {"server.write_timeout", WB_READS(rest.http.write_timeout)},
    {"server.idle_timeout", WB_READS(rest.http.idle_timeout)},
    {"server.read_header_timeout", WB_READS(rest.http.read_header_timeout)},
    {"server.max_connections", WB_READS(rest.http.max_connections)},
    {"server.max_in_flight", WB_READS(rest.http.max_in_flight)},
    {"auth.admins", WB_READS(rest.auth.admins)},
    {"auth.catalog_writers", WB_READS(rest.auth.catalog_writers)},
    {"auth.read_scoped", WB_READS(rest.auth.read_scoped)},
    {"auth.grpc_anonymous_user", WB_READS(config.auth.grpc_anonymous_user)},
    {"pool.size", WB_READS(engine.pool_size)},
    {"pool.sleep", WB_READS(engine.poll)},
    {"pool.max_remote", WB_READS(engine.max_remote)},
    {"pool.sync_size", WB_READS(engine.sync_size)},
    {"janitor.finished_job_retention_days", WB_READS(engine.retention)},
    {"health_check.timeout_seconds", WB_READS(engine.health_timeout)},
    {"health_check.interval_seconds", WB_READS(engine.health_interval)},
    {"limits.queued_per_user", WB_READS(engine.queued_per_user)},
    {"limits.running_per_user", WB_READS(engine.running_per_user)},
    {"limits.result_rows", WB_READS(runs.result_rows)},
    {"limits.result_bytes", WB_READS(runs.result_bytes)},
    {"limits.log_bytes", WB_READS(runs.log_bytes)},
    {"limits.tags", WB_READS(engine.max_tags)},
    {"limits.tag_bytes", WB_READS(engine.tag_bytes)},
    {"limits.name_bytes", WB_READS(engine.name_bytes)},
    {"limits.context_depth", WB_READS(engine.context_depth)},
    {"limits.template_steps", WB_READS(engine.render.template_steps)},
    {"attribute_link_schemes", WB_READS(engine.render.link_schemes)},
    {"keep_outputs", WB_READS(engine.keep_outputs)},
    {"idempotency_hours", WB_READS(engine.idempotency)},
    {"host_lost_after", WB_READS(engine.host_lost_after)},
};

class ReloadedSettingsTest : public ::testing::Test {
 protected:
  ReloadedSettingsTest() {
    std::string name = "/tmp/waybill-settings-XXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
    IdGenerator ids(1);
    identity_ = engine::InstanceIdentity::take(directory_, ids, absl::FromUnixSeconds(1'780'000'000));
    EXPECT_TRUE(identity_.ok()) << identity_.status();
  }
  ~ReloadedSettingsTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  // What a server that runs with the defaults hands on when it is given this file.
  Handed handed_of(const std::string& yaml) {
    const config::Loaded loaded = config::load_text(yaml, "waybill.yaml", load_options());
    for (const config::Mistake& mistake : loaded.mistakes) ADD_FAILURE() << config::format_mistake(mistake);
    const config::Config next = config::reloaded(config::defaults(), loaded.config.value());
    return {engine_options(next, *identity_, {}), rest_options(next), run_limits(next), next};
  }

  std::string directory_;
  absl::StatusOr<engine::InstanceIdentity> identity_ = absl::UnknownError("");
};

// "pool.size", "32" -> "pool:\n  size: 32\n"
std::string yaml_of(const std::string& name, std::string_view value) {
  std::string yaml;
  std::string indent;
  std::size_t from = 0;
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', from)) {
    yaml += fmt::format("{}{}:\n", indent, name.substr(from, dot - from));
    indent += "  ";
    from = dot + 1;
  }
  return yaml + fmt::format("{}{}: {}\n", indent, name.substr(from), value);
}

bool counts_after_a_reload(const config::Setting& setting) {
  return !setting.restart && setting.assign != nullptr && setting.ignored.empty() && setting.alias.empty();
}

TEST_F(ReloadedSettingsTest, EverySettingThatNeedsNoRestartArrivesWhereItCounts) {
  const Handed before = handed_of("");
  int seen = 0;
  for (const config::Setting& setting : config::schema()) {
    if (!counts_after_a_reload(setting)) continue;
    ++seen;
    const auto arrival = kArrivals.find(setting.name);
    ASSERT_NE(arrival, kArrivals.end()) << setting.name << " is said to need no restart, but arrives nowhere";
    const Handed after = handed_of(yaml_of(setting.name, setting.example));
    EXPECT_NE(arrival->second(after), arrival->second(before)) << setting.name;
  }
  EXPECT_EQ(static_cast<std::size_t>(seen), kArrivals.size()) << "one of the table needs a restart";
}

TEST_F(ReloadedSettingsTest, EverySettingThatNeedsARestartIsNamedAndKept) {
  const config::Config running = config::defaults();
  for (const config::Setting& setting : config::schema()) {
    if (!setting.restart || setting.assign == nullptr || setting.example.empty()) continue;
    const config::Loaded loaded =
        config::load_text(yaml_of(setting.name, setting.example), "waybill.yaml", load_options());
    // Some need others beside them, or have one possible value.
    if (!loaded.ok() || setting.words.size() == 1 || setting.min == setting.max) continue;
    const config::ReloadDiff changes = config::diff(running, *loaded.config);
    EXPECT_THAT(changes.needs_restart, ::testing::Contains(setting.name));
    const config::Config next = config::reloaded(running, *loaded.config);
    EXPECT_THAT(config::diff(running, next).needs_restart, ::testing::IsEmpty()) << setting.name;
  }
}

}  // namespace
}  // namespace waybill::app
