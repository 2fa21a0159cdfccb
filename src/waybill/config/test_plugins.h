#pragma once

#include <map>
#include <optional>
#include <string>

#include "waybill/config/load.h"

namespace waybill::config {

// Executors and an environment for tests: nothing of the machine they run on.
inline LoadOptions test_options() {
  using ports::ContextLevel;
  using ports::ContextType;
  constexpr auto kCommand = static_cast<unsigned>(ContextLevel::kCommand);
  constexpr auto kCluster = static_cast<unsigned>(ContextLevel::kCluster);
  constexpr auto kJob = static_cast<unsigned>(ContextLevel::kJob);
  LoadOptions options;
  for (const char* name : {"ping", "shell", "postgres", "spark_operator", "sparkeks", "trino", "clickhouse",
                           "dynamo", "ecs", "glue", "snowflake"}) {
    options.plugins[name].plugin = name;
  }
  options.plugins["ping"].keys = {
      {"sleep_ms", ContextType::kInteger, kCommand | kCluster, false, "how long it takes", "100"}};
  options.plugins["shell"].keys = {
      {"command", ContextType::kStringList, kCommand | kCluster, false, "the program and its first words",
       "[\"/bin/sh\", \"-c\"]"},
      {"arguments", ContextType::kStringList, kJob, false, "further words", "[\"date\"]"}};
  options.plugins["postgres"].keys = {
      {"dsn", ContextType::kString, kCluster, true, "the database", "!env REPORTS_DSN"}};
  options.environment = [](const std::string& name) -> std::optional<std::string> {
    static const std::map<std::string, std::string>& all = *new std::map<std::string, std::string>{
        {"WB_WORD", "word"}, {"WB_SIZE", "7"}, {"WB_EMPTY", ""}, {"WB_DB_PASSWORD", "hunter2"}};
    const auto found = all.find(name);
    if (found == all.end()) return std::nullopt;
    return found->second;
  };
  return options;
}

}  // namespace waybill::config
