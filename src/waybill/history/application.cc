#include "waybill/history/application.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <limits>
#include <string_view>
#include <system_error>

#include "waybill/base/json.h"
#include "waybill/base/json_string.h"
#include "waybill/base/status.h"
#include "waybill/base/time.h"
#include "waybill/history/manifest.h"

namespace waybill::history {
namespace json = boost::json;
namespace {

constexpr std::size_t kMessageLimit = 65'536;

std::string without_nul(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '\0'), text.end());
  return text;
}

const json::value* member(const json::value* object, std::string_view name) {
  const json::object* members = object == nullptr ? nullptr : object->if_object();
  return members == nullptr ? nullptr : members->if_contains(name);
}

std::string text(const json::value* object, std::string_view name) {
  const json::value* value = member(object, name);
  const json::string* string = value == nullptr ? nullptr : value->if_string();
  return string == nullptr ? std::string() : without_nul(std::string(*string));
}

std::optional<absl::Time> time(const json::value* object, std::string_view name) {
  const std::string written = text(object, name);
  // Unix seconds and bare dates are no times of Kubernetes.
  if (written.find('T') == std::string::npos) return std::nullopt;
  const auto parsed = parse_time(written);
  if (!parsed.ok()) return std::nullopt;
  return *parsed;
}

std::int64_t count(const json::value* object, std::string_view name) {
  const json::value* value = member(object, name);
  const std::int64_t* number = value == nullptr ? nullptr : value->if_int64();
  return number == nullptr ? 0 : std::max<std::int64_t>(*number, 0);
}

// Appends the canonical text of what the operator compares: without nulls, and without lists and maps that
// are empty, also once their own members were left out. Whether all of it is.
bool write_compared(const json::value& value,
                    std::string& out) {  // NOLINT(misc-no-recursion): as deep as parsed
  if (const json::object* object = value.if_object()) {
    std::vector<const json::key_value_pair*> members;
    members.reserve(object->size());
    for (const auto& member : *object) members.push_back(&member);
    std::sort(members.begin(), members.end(), [](auto* a, auto* b) { return a->key() < b->key(); });
    out += '{';
    const std::size_t begin = out.size();
    for (const auto* member : members) {
      const std::size_t before = out.size();
      if (before > begin) out += ',';
      append_json_text(member->key(), out);
      out += ':';
      if (write_compared(member->value(), out)) out.resize(before);
    }
    const bool empty = out.size() == begin;
    out += '}';
    return empty;
  }
  if (const json::array* array = value.if_array()) {
    out += '[';
    for (const json::value& item : *array) {
      if (&item != array->data()) out += ',';
      write_compared(item, out);  // an item of a list keeps its place
    }
    out += ']';
    return array->empty();
  }
  if (const json::string* text = value.if_string()) {
    append_json_text(*text, out);
  } else {
    out += canonical_json(value);
  }
  return value.is_null();
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

void take_manifest(Application& app, const json::value& object, const ReadOptions& options) {
  app.manifest = canonical_json(manifest_of(object, options.mask));
  if (app.manifest.size() > options.manifest_bytes) {
    app.manifest.clear();
    return;
  }
  app.manifest_hash = sha256_hex(app.manifest);
}

}  // namespace

std::string compared_spec_hash(const json::value& spec, const std::string& key) {
  std::string compared;
  const json::object* members = spec.if_object();
  if (members == nullptr || !(members->contains("suspend") || members->contains("timeToLiveSeconds"))) {
    write_compared(spec, compared);
  } else {
    json::object without = *members;
    without.erase("suspend");
    without.erase("timeToLiveSeconds");
    write_compared(json::value(std::move(without)), compared);
  }
  return hmac_sha256_hex(key, compared);
}

std::string bounded_message(std::string text) {
  text = without_nul(std::move(text));
  if (text.size() <= kMessageLimit) return text;
  constexpr std::size_t kPart = kMessageLimit / 2 - 64;
  std::size_t head = kPart;
  while (head > 0 && is_continuation(text[head])) --head;
  std::size_t tail = text.size() - kPart;
  while (tail < text.size() && is_continuation(text[tail])) ++tail;
  return fmt::format("{}\n… {} bytes left out …\n{}", text.substr(0, head), tail - head, text.substr(tail));
}

absl::StatusOr<Application> read_application(const json::value& object, const ReadOptions& options) {
  const json::value* metadata = member(&object, "metadata");
  Application app;
  app.uid = text(metadata, "uid");
  app.name = text(metadata, "name");
  if (text(&object, "kind") != "SparkApplication" || app.uid.empty() || app.name.empty()) {
    return not_found("this is no SparkApplication with a uid and a name");
  }
  const std::string version = text(metadata, "resourceVersion");
  const auto [end, problem] = std::from_chars(version.data(), version.data() + version.size(), app.version);
  const bool whole = problem == std::errc() && end == version.data() + version.size();
  // Databases count up to 2^63 - 1.
  if (version.empty() || !whole || app.version > std::numeric_limits<std::int64_t>::max()) {
    return invalid(fmt::format("the resourceVersion \"{}\" of {} is no decimal integer", version, app.name));
  }
  app.name_space = text(metadata, "namespace");
  if (const json::value* labels = member(metadata, "labels"); labels != nullptr && labels->is_object()) {
    for (const auto& [key, value] : labels->get_object()) {
      if (value.is_string()) app.labels.emplace(key, without_nul(std::string(value.get_string())));
    }
  }
  app.created = time(metadata, "creationTimestamp");
  app.deletion = time(metadata, "deletionTimestamp");
  const json::value* spec = member(&object, "spec");
  app.spec_hash = compared_spec_hash(spec == nullptr ? json::value(json::object()) : *spec, options.spec_key);
  if (const json::value* arguments = member(spec, "arguments");
      arguments != nullptr && arguments->is_array()) {
    for (const json::value& word : arguments->get_array()) {
      app.arguments.push_back(word.is_string() ? without_nul(std::string(word.get_string())) : std::string());
    }
  }
  const json::value* status = member(&object, "status");
  const json::value* state = member(status, "applicationState");
  app.state = text(state, "state");
  app.error = bounded_message(text(state, "errorMessage"));
  app.submission_id = text(status, "submissionID");
  app.application_id = text(status, "sparkApplicationId");
  app.attempt_time = time(status, "lastSubmissionAttemptTime");
  app.termination_time = time(status, "terminationTime");
  app.execution_attempts = count(status, "executionAttempts");
  const json::value* driver = member(status, "driverInfo");
  app.driver_pod = text(driver, "podName");
  app.web_ui_address = text(driver, "webUIIngressAddress");
  if (app.web_ui_address.empty()) app.web_ui_address = text(driver, "webUIAddress");
  take_manifest(app, object, options);
  return app;
}

}  // namespace waybill::history
