#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "waybill/base/environment.h"
#include "waybill/base/redact.h"
#include "waybill/config/report.h"
#include "waybill/config/yaml_tree.h"
#include "waybill/ports/executor.h"

namespace waybill::config {

// Reads contexts: YAML of any shape as JSON, with `${env:…}` replaced and secrets as references
// (base/secret.h). A reference is made of !file and !env, of `${env:…}` where the key or the variable's name
// looks like a secret, and of what stands under a key that `is_secret` names.
class ContextReader {
 public:
  using IsSecret = std::function<bool(std::string_view key)>;
  ContextReader(Report& report, const Environment& environment, const Redactor& redactor, std::size_t depth)
      : report_(report), environment_(environment), redactor_(redactor), depth_(depth) {}

  [[nodiscard]] boost::json::object read(const YamlNode& map, const std::string& path,
                                         const IsSecret& is_secret);

 private:
  struct Place {
    std::string path;
    std::size_t level = 1;
    bool looks_secret = false;  // the key, or one above it
    bool declared_secret = false;
  };
  [[nodiscard]] boost::json::object read_map(const YamlNode& map, const Place& at, const IsSecret& is_secret);
  [[nodiscard]] boost::json::value read_value(const YamlNode& node, const Place& at,
                                              const IsSecret& is_secret);
  [[nodiscard]] boost::json::value read_scalar(const YamlNode& node, const Place& at);
  [[nodiscard]] boost::json::value read_tagged(const YamlNode& node, const Place& at);
  [[nodiscard]] boost::json::value read_with_references(const YamlNode& node, const Place& at);

  Report& report_;
  const Environment& environment_;
  const Redactor& redactor_;
  std::size_t depth_;
};

// Holds a context against the keys that an executor declares: a wrong type is a mistake, a key that this
// level can't set a warning. Other keys are for templates.
void check_context_keys(const boost::json::object& context, const YamlNode& map, const std::string& path,
                        const ports::ExecutorTraits& traits, ports::ContextLevel level, Report& report);

}  // namespace waybill::config
