#include "waybill/config/settings.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace waybill::config {
namespace {

using ByName = std::map<std::string, Checked>;

// The settings of a section and of those in it, by their whole names. What is in lists is not here.
void collect(const Section& section, ByName& out) {
  for (const auto& [name, checked] : section.values) out[section.path_of(name)] = checked;
  for (const auto& [name, below] : section.sections) collect(below, out);
}

bool is_set(const Checked& checked) {
  return checked.node != nullptr && checked.node->kind != YamlNode::Kind::kNull;
}

// A setting under its other name counts unless both are there.
void resolve_aliases(ByName& settings, Report& report) {
  for (const auto& [name, checked] : settings) {
    if (checked.setting->alias.empty() || !is_set(checked)) continue;
    const std::string other(checked.setting->alias);
    Checked& target = settings.at(other);
    if (is_set(target)) {
      report.mistake(*checked.node, name, "it is another name of " + other + ", which is set too: write one");
      continue;
    }
    const Setting* own = target.setting;
    target = checked;
    target.setting = own;
  }
}

// Heimdall's way to say who calls.
void apply_auth_plugin(ByName& settings, Report& report) {
  const Checked& plugin = settings.at("auth.plugin");
  const auto* file = std::get_if<std::string>(&plugin.value);
  if (!is_set(plugin) || file == nullptr || file->empty()) return;
  Checked& writers = settings.at("auth.catalog_writers");
  const auto* header = std::get_if<std::string>(&settings.at("auth.header").value);
  std::string text =
      "the plugin is not loaded: the caller is taken from the header " + (header ? *header : std::string());
  if (!is_set(writers)) {
    writers.value = std::vector<std::string>{".*"};
    text += ", and everybody may change commands and clusters, as in Heimdall (see auth.catalog_writers)";
  }
  report.warning(*plugin.node, "auth.plugin", text);
}

}  // namespace

void apply_settings(const Section& root, Config& config, Report& report) {
  ByName settings;
  collect(root, settings);
  resolve_aliases(settings, report);
  apply_auth_plugin(settings, report);
  for (const auto& [name, checked] : settings) {
    const Setting& setting = *checked.setting;
    if (setting.assign == nullptr || name != setting.name) continue;
    setting.assign(config, checked.value, setting);
    const int line = checked.node == nullptr ? 0 : checked.node->line;
    config.settings[name] = {checked.value, checked.origin, line};
  }
}

}  // namespace waybill::config
