#pragma once

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "waybill/config/value.h"

// Every setting, declared once. The loader, the checker, `config show`, docs/configuration.md and the JSON
// Schema all read these tables.
namespace waybill::config {

struct Config;

enum class Type {
  kString,
  kSecret,   // a string that is never shown
  kInteger,  // whole
  kNumber,
  kBoolean,
  kWord,      // one of `words`
  kStrings,   // a list of strings
  kWords,     // a list of some of `words`
  kPatterns,  // a list of RE2 patterns
  kTexts,     // a mapping of strings
  kObject,    // a mapping of anything
};

// What a string must look like, beyond being one.
enum class Form {
  kAny,
  kFilled,     // not empty
  kFolder,     // a path
  kAddress,    // host:port, :port, [v6]:port, unix:/path
  kDatabase,   // sqlite:PATH, postgres://…
  kUrl,        // http:// or https://
  kHeader,     // the name of an HTTP header
  kNetwork,    // an address, or a network in CIDR form
  kScheme,     // of an URL
  kNamespace,  // of Kubernetes
  kStatus,     // of a catalog entry, in any case
  kTag,        // of a job, command or cluster
};

// Sets a member of Config from a checked value.
struct Setting;
using Assign = void (*)(Config& config, const Value& value, const Setting& setting);

struct Setting {
  // The path. "[]" after a name: a list of mappings; "{}": a mapping of mappings by a name the user chooses.
  std::string name;
  Type type = Type::kString;
  Value fallback = {};  // monostate: absent
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::string_view unit = {};
  std::string_view example = {};  // YAML
  bool restart = false;           // a running server keeps the old value until it is started again
  bool required = false;
  std::vector<std::string_view> words = {};
  Form form = Form::kAny;
  std::string what = {};          // one sentence
  std::string_view ignored = {};  // Heimdall's key without a meaning here: why; given as a warning
  std::string_view alias = {};    // another name of this setting
  Assign assign = nullptr;        // of scalars at a fixed path; what is in lists is read by config/sections
};

// All of them, in the order of the documentation. The parts: one table a file.
[[nodiscard]] const std::vector<Setting>& schema();
[[nodiscard]] std::vector<Setting> server_settings();
[[nodiscard]] std::vector<Setting> engine_settings();
[[nodiscard]] std::vector<Setting> catalog_settings();
[[nodiscard]] std::vector<Setting> history_settings();

// One list of several.
[[nodiscard]] std::vector<Setting> joined(const std::vector<std::vector<Setting>>& parts);

// The same as a tree by the parts of the names.
struct SchemaNode {
  enum class Kind { kSetting, kSection, kList, kMap };
  Kind kind = Kind::kSection;
  const Setting* setting = nullptr;  // of kSetting
  bool is_alias = false;             // of kSetting: reached by its other name
  std::vector<std::pair<std::string, std::unique_ptr<SchemaNode>>> children;  // of a section, in order
  std::unique_ptr<SchemaNode> item;  // of a list or map: the section that each of its items is

  [[nodiscard]] const SchemaNode* child(std::string_view name) const;
};
[[nodiscard]] SchemaNode schema_tree(const std::vector<Setting>& settings);

// What is said of a section in the documentation; "" : nothing. `name` as in Setting ("server.tls").
[[nodiscard]] std::string_view section_text(std::string_view name);

// "a whole number from 1 to 1024 (workers)", "one of api, worker": what a setting may be, for messages and
// docs.
[[nodiscard]] std::string allowed(const Setting& setting);

}  // namespace waybill::config
