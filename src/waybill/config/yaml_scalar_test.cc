#include "waybill/config/yaml_scalar.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cmath>
#include <fstream>
#include <string>

#include "waybill/base/redact.h"
#include "waybill/config/context.h"
#include "waybill/config/yaml_tree.h"

namespace waybill::config {
namespace {
namespace json = boost::json;

std::string go_type(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "<nil>";
    case json::kind::bool_:
      return "bool";
    case json::kind::int64:
      return "int";
    case json::kind::uint64:
      return "uint64";
    case json::kind::double_:
      return "float64";
    case json::kind::string:
      return "string";
    case json::kind::array:
      return "[]interface {}";
    case json::kind::object:
      return "map[string]interface {}";
  }
  return "";
}

// Whether a value is what Go printed; of numbers it is the value that counts here, not its digits.
bool prints_as(const json::value& value, const std::string& printed) {
  if (value.is_null()) return printed == "<no value>";
  if (value.is_bool()) return printed == (value.get_bool() ? "true" : "false");
  if (value.is_int64()) return printed == std::to_string(value.get_int64());
  if (value.is_uint64()) return printed == std::to_string(value.get_uint64());
  if (value.is_string()) return printed == std::string(value.get_string());
  if (!value.is_double()) return true;
  const double number = value.get_double();
  if (std::isnan(number)) return printed == "NaN";
  return std::stod(printed) == number && std::signbit(number) == (printed.front() == '-');
}

// What Go's yaml.v3 makes of many scalars, as it said itself.
TEST(YamlScalar, IsWhatGoMakesOfIt) {
  std::ifstream lines("tests/testdata/config/yaml_scalars.jsonl");
  const Redactor redactor;
  const Environment nothing = [](const std::string&) -> std::optional<std::string> { return std::nullopt; };
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const json::object vector = json::parse(line).as_object();
    const std::string yaml(vector.at("yaml").as_string());
    Report report("", yaml);
    const YamlDocument document = parse_yaml(yaml);
    json::value got;
    if (document.root) {
      ContextReader reader(report, nothing, redactor, 32);
      got = reader.read(*document.root, "", [](std::string_view) { return false; }).at("v");
    }
    if (vector.contains("error")) {
      EXPECT_TRUE(!document.mistakes.empty() || !report.ok()) << line;
      continue;
    }
    ASSERT_TRUE(document.mistakes.empty() && report.ok()) << line;
    if (vector.at("type") == "time.Time") {
      // An unquoted date stays what was written.
      EXPECT_EQ("v: " + std::string(got.as_string()) + "\n", yaml);
      continue;
    }
    EXPECT_EQ(go_type(got), std::string(vector.at("type").as_string())) << line;
    EXPECT_TRUE(prints_as(got, std::string(vector.at("print").as_string()))) << line << got;
  }
  EXPECT_EQ(count, 125);
}

TEST(YamlScalar, KeepsTheTypesOfWhatIsInside) {
  const std::string yaml = "v: [1, 2.0, x, null, {a: true}]\n";
  Report report("", yaml);
  const Redactor redactor;
  const Environment nothing = [](const std::string&) -> std::optional<std::string> { return std::nullopt; };
  ContextReader reader(report, nothing, redactor, 32);
  const json::object got = reader.read(*parse_yaml(yaml).root, "", [](std::string_view) { return false; });
  json::array expected;
  expected.emplace_back(std::int64_t{1});
  expected.emplace_back(2.0);
  expected.emplace_back("x");
  expected.emplace_back(nullptr);
  expected.emplace_back(json::object{{"a", true}});
  EXPECT_EQ(got.at("v"), json::value(expected));
}

}  // namespace
}  // namespace waybill::config
