#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "waybill/base/environment.h"
#include "waybill/config/config.h"
#include "waybill/config/report.h"
#include "waybill/config/schema.h"
#include "waybill/config/yaml_tree.h"

namespace waybill::config {

// The value of one setting: the file's, or the schema's fallback.
struct Checked {
  Value value;
  Origin origin = Origin::kDefault;
  const Setting* setting = nullptr;
  const YamlNode* node = nullptr;  // null: not in the file
};

// A mapping of the file held against the schema. Everything that the schema knows is there; of what is wrong
// only the report speaks, and the value is the fallback.
struct Section {
  std::string path;
  const YamlNode* node = nullptr;  // null: not in the file
  std::map<std::string, Checked> values;
  std::map<std::string, Section> sections;
  std::map<std::string, std::vector<Section>> lists;
  std::map<std::string, std::vector<std::pair<std::string, Section>>> maps;  // in the file's order

  [[nodiscard]] bool given() const { return node != nullptr; }
  // A value by its name; the name must be in the schema.
  [[nodiscard]] const Checked& at(const std::string& name) const { return values.at(name); }
  [[nodiscard]] std::string text(const std::string& name) const;
  [[nodiscard]] bool flag(const std::string& name) const;
  [[nodiscard]] std::int64_t integer(const std::string& name) const;
  [[nodiscard]] double number(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const;
  [[nodiscard]] Secret secret(const std::string& name) const;
  // Where a value is, or would be: its own node, else that of the section.
  [[nodiscard]] const YamlNode& place(const std::string& name) const;
  [[nodiscard]] std::string path_of(std::string_view name) const { return join_path(path, name); }
};

// Tells of each reference that is broken or whose variable is not set, at its own place; whether all are
// well.
bool report_references(const YamlNode& scalar, const std::vector<EnvironmentReference>& references,
                       const std::string& path, const Environment& environment, Report& report);

// Holds a document against the schema. `root` may be null: all fallbacks.
class Checker {
 public:
  Checker(Report& report, const Environment& environment) : report_(report), environment_(environment) {}

  [[nodiscard]] Section section(const SchemaNode& schema, const YamlNode* node, const std::string& path);

  // The text of a scalar with `${env:…}` replaced, for values outside of contexts. Reports what is wrong.
  struct Text {
    std::string text;
    Origin origin = Origin::kFile;
    bool ok = true;
  };
  [[nodiscard]] Text expanded(const YamlNode& scalar, const std::string& path);

 private:
  void read_member(const SchemaNode& schema, const YamlNode::Member& member, Section& out);
  void read_list(const SchemaNode& schema, const YamlNode& node, const std::string& path,
                 std::vector<Section>& out);
  void read_map(const SchemaNode& schema, const YamlNode& node, const std::string& path,
                std::vector<std::pair<std::string, Section>>& out);
  [[nodiscard]] Checked value(const Setting& setting, const YamlNode& node, const std::string& path);
  void read_scalar(const Setting& setting, const YamlNode& node, const std::string& path, Checked& out);
  void read_strings(const Setting& setting, const YamlNode& node, const std::string& path, Checked& out);
  void check_texts(const YamlNode& node, const std::string& path);
  [[nodiscard]] bool fits(const Setting& setting, const YamlNode& node, const std::string& text,
                          const std::string& path);
  void not_allowed(const Setting& setting, const YamlNode& node, const std::string& path);

  Report& report_;
  const Environment& environment_;
};

}  // namespace waybill::config
