#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "waybill/config/load.h"
#include "waybill/config/schema.h"

namespace waybill::config {
namespace {

const Setting* setting_of(std::string_view name) {
  const auto found = std::find_if(schema().begin(), schema().end(),
                                  [&](const Setting& setting) { return setting.name == name; });
  return found == schema().end() ? nullptr : &*found;
}

// The ids whose entries are not the same in both, as "commands[ID]".
template <class Entries>
void compare_entries(const char* name, const Entries& before, const Entries& after,
                     std::vector<std::string>& changed) {
  const auto label = [&](const auto& id) { return std::string(name) + "[" + id.str() + "]"; };
  for (const auto& [id, entry] : before) {
    const auto now = after.find(id);
    if (now == after.end() || now->second->revision != entry->revision) changed.push_back(label(id));
  }
  for (const auto& [id, entry] : after) {
    if (!before.contains(id)) changed.push_back(label(id));
  }
}

// What lists and optional sections hold, as one text to compare.
std::string section_of(const Config& config, std::string_view name) {
  const std::string whole = show(config);
  const std::string start = "\n" + std::string(name) + ":\n";
  const std::size_t begin = whole.find(start);
  if (begin == std::string::npos) return "";
  std::size_t end = begin + start.size();
  while (end < whole.size() && whole[end] == ' ') end = std::min(whole.find('\n', end), whole.size() - 1) + 1;
  return whole.substr(begin, end - begin);
}

bool same_webhooks(const std::vector<Webhook>& a, const std::vector<Webhook>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Webhook& x, const Webhook& y) {
    return x.url == y.url && x.events == y.events && x.statuses == y.statuses && x.secret == y.secret &&
           x.timeout == y.timeout;
  });
}

}  // namespace

ReloadDiff diff(const Config& running, const Config& loaded) {
  ReloadDiff out;
  for (const auto& [name, before] : running.settings) {
    const auto now = loaded.settings.find(name);
    if (now == loaded.settings.end() || now->second.value == before.value) continue;
    const Setting* setting = setting_of(name);
    (setting != nullptr && setting->restart ? out.needs_restart : out.applied).push_back(name);
  }
  for (const char* name : {"history", "feature_store"}) {
    if (section_of(running, name) != section_of(loaded, name)) out.needs_restart.emplace_back(name);
  }
  if (!same_webhooks(running.webhooks, loaded.webhooks)) out.needs_restart.emplace_back("webhooks");
  compare_entries("commands", running.base.commands, loaded.base.commands, out.applied);
  compare_entries("clusters", running.base.clusters, loaded.base.clusters, out.applied);
  return out;
}

Config reloaded(const Config& running, Config loaded) {
  for (const auto& [name, before] : running.settings) {
    const Setting* setting = setting_of(name);
    if (setting == nullptr || !setting->restart) continue;
    setting->assign(loaded, before.value, *setting);
    loaded.settings[name] = before;
  }
  loaded.webhooks = running.webhooks;
  loaded.history = running.history;
  loaded.feature_store = running.feature_store;
  return loaded;
}

}  // namespace waybill::config
