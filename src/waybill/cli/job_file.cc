#include "waybill/cli/job_file.h"

#include <absl/strings/numbers.h>
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <boost/json.hpp>
#include <istream>
#include <string_view>

#include "waybill/base/file.h"
#include "waybill/base/json.h"
#include "waybill/base/status.h"
#include "waybill/base/time.h"
#include "waybill/cli/failure.h"
#include "waybill/cli/text.h"

namespace waybill::cli {
namespace json = boost::json;
namespace {

constexpr std::size_t kLongestFile = std::size_t{16} << 20U;
constexpr int kMostValues = 100'000;
constexpr int kDeepest = 64;

absl::StatusOr<std::string> read_all(std::istream& stream, const std::string& name) {
  std::string text;
  std::string block(65536, '\0');
  while (stream) {
    stream.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block, 0, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > kLongestFile) return usage_error(fmt::format("{} is longer than 16 MiB", name));
  }
  return text;
}

json::value plain_scalar(const std::string& text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") return nullptr;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  const bool numeric = text.find_first_not_of("0123456789+-.eE") == std::string::npos &&
                       text.find_first_of("0123456789") != std::string::npos;
  std::int64_t integer = 0;
  double real = 0;
  const bool leading_zero = text.size() > 1 && text[0] == '0' && text[1] != '.' && text[1] != 'e';
  if (!numeric || leading_zero) return json::string(text);
  if (absl::SimpleAtoi(text, &integer)) return integer;
  const bool is_real = text.find_first_of(".eE") != std::string::npos && absl::SimpleAtod(text, &real);
  if (is_real) return real;
  return json::string(text);
}

class YamlConverter {
 public:
  absl::StatusOr<json::value> convert(const YAML::Node& node, int depth) {
    if (depth > kDeepest) return invalid(at(node, "it is nested too deeply"));
    if (++values_ > kMostValues) return invalid(at(node, "it holds more than 100000 values"));
    switch (node.Type()) {
      case YAML::NodeType::Map:
        return object(node, depth);
      case YAML::NodeType::Sequence:
        return array(node, depth);
      case YAML::NodeType::Scalar:
        if (node.Tag() == "!" || node.Tag() == "tag:yaml.org,2002:str") return json::string(node.Scalar());
        return plain_scalar(node.Scalar());
      case YAML::NodeType::Null:
      case YAML::NodeType::Undefined:
        break;
    }
    return json::value();
  }

 private:
  static std::string at(const YAML::Node& node, std::string_view what) {
    return fmt::format("{}:{}: {}", node.Mark().line + 1, node.Mark().column + 1, what);
  }
  absl::StatusOr<json::value> object(const YAML::Node& node, int depth) {
    json::object members;
    for (const auto& member : node) {
      if (!member.first.IsScalar()) return invalid(at(member.first, "a key must be a word"));
      const std::string& key = member.first.Scalar();
      if (members.contains(key)) return invalid(at(member.first, fmt::format("\"{}\" is there twice", key)));
      WB_ASSIGN(members[key], convert(member.second, depth + 1));
    }
    return json::value(std::move(members));
  }
  absl::StatusOr<json::value> array(const YAML::Node& node, int depth) {
    json::array items;
    for (const YAML::Node& item : node) {
      WB_ASSIGN(json::value value, convert(item, depth + 1));
      items.push_back(std::move(value));
    }
    return json::value(std::move(items));
  }

  int values_ = 0;
};

json::array strings(const std::vector<std::string>& words) {
  json::array list;
  for (const std::string& word : words) list.emplace_back(word);
  return list;
}

absl::Status add_context_file(const std::string& path, Environment& environment, json::object& context) {
  WB_ASSIGN(const std::string text, read_file(path, environment));
  absl::StatusOr<json::value> value = parse_json(text);
  if (!value.ok()) return usage_error(fmt::format("--context @{}: {}", path, message(value.status())));
  if (!value->is_object()) return usage_error(fmt::format("--context @{}: it must hold a JSON object", path));
  for (auto& member : value->get_object()) context[member.key()] = std::move(member.value());
  return absl::OkStatus();
}

absl::Status check_text(const std::string& what, const std::string& text) {
  if (is_clean_utf8(text)) return absl::OkStatus();
  return usage_error(fmt::format("{}: \"{}\" is not UTF-8", what, made_visible(text)));
}

absl::Status add_text_flags(const Invocation& invocation, json::object& body) {
  for (const char* name : {"name", "version", "description", "queue"}) {
    const std::optional<std::string> value = invocation.find(name);
    if (!value) continue;
    WB_TRY(check_text(std::string("--") + name, *value));
    body[name] = *value;
  }
  for (const auto& [flag, member] : {std::pair<const char*, const char*>{"command", "command_criteria"},
                                     {"cluster", "cluster_criteria"},
                                     {"tag", "tags"}}) {
    if (!invocation.has(flag)) continue;
    for (const std::string& word : invocation.all(flag)) {
      WB_TRY(check_text(std::string("--") + flag, word));
    }
    body[member] = strings(invocation.all(flag));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> read_file(const std::string& path, Environment& environment) {
  if (path == "-") return read_all(environment.in, "standard input");
  absl::StatusOr<std::string> text = read_regular_file(path, kLongestFile);
  if (text.ok()) return text;
  return usage_error(fmt::format("{} can't be read: {}: name a file, or - for standard input", path,
                                 message(text.status())));
}

absl::StatusOr<json::value> parse_yaml(const std::string& text, const std::string& name) {
  if (!is_clean_utf8(text)) return usage_error(fmt::format("{} is not UTF-8", name));
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.size() != 1) {
      return usage_error(fmt::format("{} holds {} documents of YAML, not one", name, documents.size()));
    }
    absl::StatusOr<json::value> value = YamlConverter().convert(documents.front(), 0);
    if (!value.ok()) return usage_error(fmt::format("{}:{}", name, message(value.status())));
    return value;
  } catch (const YAML::Exception& problem) {
    return usage_error(
        fmt::format("{}:{}:{}: {}", name, problem.mark.line + 1, problem.mark.column + 1, problem.msg));
  }
}

absl::Status add_context(const std::vector<std::string>& flags, Environment& environment,
                         json::object& context) {
  for (const std::string& flag : flags) {
    WB_TRY(check_text("--context", flag));
    if (flag.starts_with('@')) {
      WB_TRY(add_context_file(flag.substr(1), environment, context));
      continue;
    }
    const std::size_t equals = flag.find('=');
    if (equals == std::string::npos || equals == 0) {
      return usage_error(
          fmt::format("--context: \"{}\" is neither key=text, key:=JSON nor @file.json", flag));
    }
    const bool must_be_json = flag[equals - 1] == ':';
    const std::string key = flag.substr(0, equals - (must_be_json ? 1 : 0));
    const std::string text = flag.substr(equals + 1);
    const bool may_be_json =
        must_be_json || text.starts_with('[') || text.starts_with('{') || text.starts_with('"');
    absl::StatusOr<json::value> value = may_be_json ? parse_json(text) : json::value(json::string(text));
    if (!value.ok() && must_be_json) {
      return usage_error(fmt::format("--context {}: {}", key, message(value.status())));
    }
    context[key] = value.ok() ? *std::move(value) : json::value(json::string(text));
  }
  return absl::OkStatus();
}

absl::StatusOr<json::object> submit_body(const Invocation& invocation, Environment& environment) {
  json::object body;
  if (const std::optional<std::string> file = invocation.find("file")) {
    WB_ASSIGN(const std::string text, read_file(*file, environment));
    WB_ASSIGN(json::value value, parse_yaml(text, *file == "-" ? "standard input" : *file));
    if (!value.is_object()) return usage_error(fmt::format("{}: a job is a map of its members", *file));
    body = std::move(value.get_object());
  }
  WB_TRY(add_text_flags(invocation, body));
  if (invocation.has("priority")) body["priority"] = invocation.number("priority", 0);
  if (const std::optional<std::string> timeout = invocation.find("timeout")) {
    WB_ASSIGN(const absl::Duration limit, parse_duration(*timeout));
    body["timeout_seconds"] = absl::ToInt64Seconds(limit);
  }
  if (invocation.has("context")) {
    json::value& context = body["context"];
    if (!context.is_object()) context = json::object();
    WB_TRY(add_context(invocation.all("context"), environment, context.get_object()));
  }
  return body;
}

}  // namespace waybill::cli
