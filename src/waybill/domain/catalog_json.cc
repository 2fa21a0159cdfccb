#include "waybill/domain/catalog_json.h"

#include <boost/json.hpp>
#include <utility>
#include <vector>

#include "waybill/base/json.h"
#include "waybill/base/status.h"

namespace waybill::domain {
namespace json = boost::json;
namespace {

using Strings = std::vector<std::string>;

json::array array_of(const Strings& words) { return json::array(words.begin(), words.end()); }

// A list, as objects have no order that a database keeps.
json::array attributes_json(const std::vector<AttributeTemplate>& attributes) {
  json::array list;
  for (const AttributeTemplate& attribute : attributes) {
    list.push_back({{"label", attribute.label},
                    {"kind", to_string(attribute.kind)},
                    {"show", to_string(attribute.show)},
                    {"value", attribute.value}});
  }
  return list;
}

json::object entry_json(const Entry& entry) {
  json::object object{{"name", entry.name},
                      {"version", entry.version},
                      {"description", entry.description},
                      {"user", entry.user},
                      {"status", to_string(entry.status)},
                      {"tags", array_of(entry.tags)},
                      {"attributes", attributes_json(entry.attributes)}};
  if (entry.context) object["context"] = *entry.context;
  return object;
}

// Reads members of one stored object; the first that is not as it was written is kept as the problem.
class Reader {
 public:
  explicit Reader(const json::object& object) : object_(object) {}

  std::string text(const char* key) {
    const json::value* value = object_.if_contains(key);
    if (value == nullptr) return "";
    if (value->is_string()) return std::string(value->get_string());
    return fail<std::string>(key, "a string");
  }
  bool flag(const char* key) {
    const json::value* value = object_.if_contains(key);
    if (value == nullptr) return false;
    return value->is_bool() ? value->get_bool() : fail<bool>(key, "a bool");
  }
  double number(const char* key, double fallback) {
    const json::value* value = object_.if_contains(key);
    if (value == nullptr) return fallback;
    json::error_code problem;
    const auto number = value->to_number<double>(problem);
    return problem ? fail<double>(key, "a number") : number;
  }
  Strings words(const char* key) {
    const json::value* value = object_.if_contains(key);
    Strings words;
    if (value == nullptr) return words;
    if (!value->is_array()) return fail<Strings>(key, "a list");
    for (const json::value& word : value->get_array()) {
      if (!word.is_string()) return fail<Strings>(key, "a list of strings");
      words.emplace_back(word.get_string());
    }
    return words;
  }
  std::optional<json::object> object(const char* key) {
    const json::value* value = object_.if_contains(key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_object()) return fail<std::optional<json::object>>(key, "an object");
    return value->get_object();
  }
  std::vector<AttributeTemplate> attributes() {
    std::vector<AttributeTemplate> list;
    const json::value* value = object_.if_contains("attributes");
    if (value == nullptr || !value->is_array()) return list;
    for (const json::value& item : value->get_array()) {
      if (!item.is_object()) return fail<decltype(list)>("attributes", "a list of objects");
      Reader reader(item.get_object());
      AttributeTemplate attribute;
      attribute.label = reader.text("label");
      attribute.value = reader.text("value");
      const auto kind = parse_attribute_kind(reader.text("kind"));
      const auto show = parse_attribute_show(reader.text("show"));
      if (!reader.problem().ok() || !kind || !show)
        return fail<decltype(list)>("attributes", "a known kind and show");
      attribute.kind = *kind;
      attribute.show = *show;
      list.push_back(std::move(attribute));
    }
    return list;
  }
  void entry(Entry& entry) {
    entry.name = text("name");
    entry.version = text("version");
    entry.description = text("description");
    entry.user = text("user");
    entry.tags = words("tags");
    entry.context = object("context");
    entry.attributes = attributes();
    const auto status = parse_entry_status(text("status"));
    entry.status = status ? *status : fail<EntryStatus>("status", "a known status");
  }
  [[nodiscard]] const absl::Status& problem() const { return problem_; }

 private:
  template <class T>
  T fail(const char* key, const char* wanted) {
    if (problem_.ok())
      problem_ = absl::InternalError(std::string("stored entry: ") + key + " is not " + wanted);
    return T{};
  }

  const json::object& object_;
  absl::Status problem_;
};

std::string hash_of(json::object entry) { return sha256_hex(canonical_json(json::value(std::move(entry)))); }

absl::Status not_an_object() { return absl::InternalError("stored entry: it is not an object"); }

}  // namespace

json::object to_json(const Command& command) {
  json::object object = entry_json(command);
  object["id"] = command.id.str();
  object["plugin"] = command.plugin;
  object["is_sync"] = command.is_sync;
  object["store_result_sync"] = command.store_result_sync;
  object["cluster_tags"] = array_of(command.cluster_tags);
  object["allowed_callers"] = array_of(command.allowed_callers);
  object["locked_context"] = array_of(command.locked_context);
  object["timeout_ms"] = absl::ToInt64Milliseconds(command.timeout);
  object["max_attempts"] = command.max_attempts;
  return object;
}

json::object to_json(const Cluster& cluster) {
  json::object object = entry_json(cluster);
  object["id"] = cluster.id.str();
  object["health_check"] = cluster.health_check;
  object["weight"] = cluster.weight;
  object["rbacs"] = array_of(cluster.rbacs);
  return object;
}

absl::StatusOr<Command> command_from_json(const json::value& value) {
  if (!value.is_object()) return not_an_object();
  Reader reader(value.get_object());
  Command command;
  reader.entry(command);
  command.id = CommandId(reader.text("id"));
  command.plugin = reader.text("plugin");
  command.is_sync = reader.flag("is_sync");
  command.store_result_sync = reader.flag("store_result_sync");
  command.cluster_tags = reader.words("cluster_tags");
  command.allowed_callers = reader.words("allowed_callers");
  command.locked_context = reader.words("locked_context");
  command.timeout = absl::Milliseconds(reader.number("timeout_ms", 0));
  command.max_attempts = static_cast<int>(reader.number("max_attempts", 1));
  if (!reader.problem().ok()) return reader.problem();
  return command;
}

absl::StatusOr<Cluster> cluster_from_json(const json::value& value) {
  if (!value.is_object()) return not_an_object();
  Reader reader(value.get_object());
  Cluster cluster;
  reader.entry(cluster);
  cluster.id = ClusterId(reader.text("id"));
  cluster.health_check = reader.flag("health_check");
  cluster.weight = reader.number("weight", 1);
  cluster.rbacs = reader.words("rbacs");
  if (!reader.problem().ok()) return reader.problem();
  return cluster;
}

std::string revision_of(const Command& command) { return hash_of(to_json(command)); }
std::string revision_of(const Cluster& cluster) { return hash_of(to_json(cluster)); }

}  // namespace waybill::domain
