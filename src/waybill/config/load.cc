#include "waybill/config/load.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "waybill/base/environment.h"
#include "waybill/base/file.h"
#include "waybill/base/status.h"
#include "waybill/config/catalog.h"
#include "waybill/config/check.h"
#include "waybill/config/consistency.h"
#include "waybill/config/schema.h"
#include "waybill/config/sections.h"
#include "waybill/config/settings.h"

namespace waybill::config {
namespace {

// What there is where a file names neither commands nor clusters.
constexpr std::string_view kDefaultCatalog = R"(
commands:
  - name: ping
    plugin: ping
    description: Answers with a greeting
    tags: ["type:ping"]
    cluster_tags: ["type:localhost"]
  - name: shell
    plugin: shell
    description: Runs a line of sh
    tags: ["type:shell"]
    cluster_tags: ["type:localhost"]
    context:
      command: ["/bin/sh", "-c"]
clusters:
  - name: localhost
    description: This machine
    tags: ["type:localhost"]
)";

// The default catalog, without `shell` where the server could be reached from elsewhere.
domain::Catalog default_catalog(const Config& config, const LoadOptions& options) {
  const std::string text(kDefaultCatalog);
  const YamlDocument document = parse_yaml(text);
  const SchemaNode tree = schema_tree(schema());
  Report report("", text);
  const Environment nothing = [](const std::string&) -> std::optional<std::string> { return std::nullopt; };
  LoadOptions any_plugin;
  if (options.plugins.contains("shell")) any_plugin.plugins = options.plugins;
  const Section root = Checker(report, nothing).section(tree, document.root.get(), "");
  domain::Catalog catalog = read_catalog(root, config, any_plugin, nothing, report);
  if (!shell_is_safe(config)) catalog.commands.erase(CommandId("shell"));
  return catalog;
}

void read_everything(const Section& root, const LoadOptions& options, const Environment& environment,
                     Config& config, Report& report) {
  apply_settings(root, config, report);
  read_webhooks(root, config);
  read_rbacs(root, config, report);
  const bool has_catalog =
      root.given() && (root.node->find("commands") != nullptr || root.node->find("clusters") != nullptr);
  config.base = has_catalog ? read_catalog(root, config, options, environment, report)
                            : default_catalog(config, options);
  read_history(root, config, report);
  read_feature_store(root, config, environment, report);
  check_consistency(root, config, report);
}

}  // namespace

Loaded load(const std::string& path, const LoadOptions& options) {
  if (path.empty()) return load_text("", "", options);
  const absl::StatusOr<std::string> text = read_regular_file(path, kMaxYamlBytes);
  if (text.ok()) return load_text(*text, path, options);
  Loaded loaded;
  loaded.mistakes.push_back({path, 0, 0, "", "the file can't be read: " + message(text.status())});
  return loaded;
}

Loaded load_text(std::string_view text, std::string_view file, const LoadOptions& options) {
  const std::string source(text);
  const Environment environment = options.environment ? options.environment : process_environment();
  Report report{std::string(file), source};
  const YamlDocument document = parse_yaml(source);
  for (const YamlMistake& one : document.mistakes) report.mistake_at(one.line, one.col, one.path, one.text);

  Config config;
  config.file = file;
  if (document.root || document.mistakes.empty()) {
    const SchemaNode tree = schema_tree(schema());
    const Section root = Checker(report, environment).section(tree, document.root.get(), "");
    read_everything(root, options, environment, config, report);
  }
  Loaded loaded;
  const bool ok = report.ok();
  loaded.mistakes = report.take_mistakes();
  loaded.warnings = report.take_warnings();
  if (ok) loaded.config = std::move(config);
  return loaded;
}

Config defaults() { return *load_text("", "").config; }

}  // namespace waybill::config
