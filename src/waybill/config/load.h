#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "waybill/config/config.h"
#include "waybill/ports/executor.h"

namespace waybill::config {

// One thing that is wrong (or, as a warning, odd) in a file. Line and column count from 1, the column in
// bytes; 0 where the file as a whole is meant.
struct Mistake {
  std::string file;
  int line = 0;
  int col = 0;
  std::string path;  // "clusters[0].attributes.Docs.value"; "" : none
  std::string text;  // what is wrong, what is allowed
};

// "file:line:col: path: text", without the parts that are not known.
[[nodiscard]] std::string format_mistake(const Mistake& mistake);

// What a load may ask of its surroundings.
struct LoadOptions {
  // The executors' traits by plugin name: `plugin` must be one of them, and contexts are held against their
  // keys. Empty: neither is checked.
  std::map<std::string, ports::ExecutorTraits> plugins;
  // An environment variable; nullopt: not set. Default: the process's own.
  std::function<std::optional<std::string>(const std::string& name)> environment;
};

// All that came of a load: a config only if there are no mistakes.
struct Loaded {
  std::optional<Config> config;
  std::vector<Mistake> mistakes;  // by position; all of them, at most 1,000
  std::vector<Mistake> warnings;

  [[nodiscard]] bool ok() const { return config.has_value(); }
};

// Reads and checks a file, at most 4 MiB of UTF-8. Never throws, never stops at the first mistake. An empty
// `path` is a server without a file.
[[nodiscard]] Loaded load(const std::string& path, const LoadOptions& options = {});
// The same for a text; `file` is only its name in mistakes.
[[nodiscard]] Loaded load_text(std::string_view text, std::string_view file, const LoadOptions& options = {});

// What changed between two loads (SIGHUP).
struct ReloadDiff {
  std::vector<std::string> applied;        // names of settings and "commands[ID]", "clusters[ID]"
  std::vector<std::string> needs_restart;  // changed in the file, but the running server keeps the old value
};
[[nodiscard]] ReloadDiff diff(const Config& running, const Config& loaded);
// `loaded`, but with the running values of all settings that need a restart: what a reload makes current.
[[nodiscard]] Config reloaded(const Config& running, Config loaded);

// The config that counts, as YAML with secrets masked; each setting says where it came from in a comment.
[[nodiscard]] std::string show(const Config& config);

// docs/configuration.md and docs/waybill.schema.json, made from the schema; docs/plugins.md, made from what
// the executors declare.
[[nodiscard]] std::string generate_markdown();
[[nodiscard]] std::string generate_json_schema();
[[nodiscard]] std::string generate_plugins_markdown(
    const std::map<std::string, ports::ExecutorTraits>& plugins);

}  // namespace waybill::config
