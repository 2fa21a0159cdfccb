#pragma once

#include <string>
#include <utility>
#include <vector>

#include "waybill/config/check.h"
#include "waybill/config/report.h"
#include "waybill/domain/attribute.h"
#include "waybill/template/template.h"

namespace waybill::config {

// A key of a context that a template names, and where.
struct ContextReference {
  std::string space;  // "Cluster" or "Command"
  std::string key;
  const YamlNode* value = nullptr;  // the template's scalar
  std::size_t offset = 0;           // in its text
  std::string path;
};

struct CheckedAttributes {
  std::vector<domain::AttributeTemplate> templates;  // in the file's order
  std::vector<ContextReference> references;
};

// Reads `attributes` of an entry: parses each template and looks at what a link begins with.
[[nodiscard]] CheckedAttributes read_attributes(const Section& entry, const std::vector<std::string>& schemes,
                                                std::size_t label_bytes, Report& report);

}  // namespace waybill::config
