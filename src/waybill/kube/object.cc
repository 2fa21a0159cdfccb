#include "waybill/kube/object.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "waybill/base/time.h"
#include "waybill/kube/json_access.h"

namespace waybill::kube {
namespace json = boost::json;
namespace {

constexpr char kLastApplied[] = "kubectl.kubernetes.io/last-applied-configuration";
constexpr std::size_t kMostDepth = 256;  // pod templates in specs are deep
constexpr std::size_t kExcerpt = 256;

// A readable excerpt of bytes that are not: anything but printable ASCII becomes '?'.
std::string excerpt(std::string_view bytes) {
  std::string text(bytes.substr(0, kExcerpt));
  std::replace_if(text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

std::string without_nul(json::string_view text) {
  std::string kept(text.data(), text.size());
  std::erase(kept, '\0');
  return kept;
}

}  // namespace

ObjectName name_of(const json::object& object) {
  const json::object* metadata = object_at(object, "metadata");
  if (metadata == nullptr) return {};
  return {text_at(*metadata, "uid"), text_at(*metadata, "namespace"), text_at(*metadata, "name"),
          text_at(*metadata, "resourceVersion")};
}

std::optional<absl::Time> drop_noise(json::object& object) {
  json::value* member = object.if_contains("metadata");
  json::object* metadata = member == nullptr ? nullptr : member->if_object();
  if (metadata == nullptr) return std::nullopt;
  std::optional<absl::Time> newest;
  if (const json::value* fields = metadata->if_contains("managedFields");
      fields != nullptr && fields->is_array()) {
    for (const json::value& entry : fields->get_array()) {
      const auto written = entry.is_object() ? parse_time(text_at(entry.get_object(), "time"))
                                             : absl::StatusOr<absl::Time>(absl::Time());
      if (written.ok() && *written != absl::Time() && (!newest || *newest < *written)) newest = *written;
    }
  }
  metadata->erase("managedFields");
  json::value* annotations = metadata->if_contains("annotations");
  if (annotations != nullptr && annotations->is_object()) annotations->get_object().erase(kLastApplied);
  return newest;
}

void remove_nul(json::value& value) {  // NOLINT(misc-no-recursion): as deep as the parser let it be
  if (json::string* text = value.if_string(); text != nullptr && text->find('\0') != json::string::npos) {
    const std::string kept = without_nul(*text);
    text->assign(kept.data(), kept.size());
  } else if (json::array* list = value.if_array()) {
    for (json::value& element : *list) remove_nul(element);
  } else if (json::object* object = value.if_object()) {
    for (auto& member : *object) remove_nul(member.value());
    const auto bad = [](const auto& member) { return member.key().find('\0') != json::string_view::npos; };
    if (!std::any_of(object->begin(), object->end(), bad)) return;
    json::object kept(object->storage());
    for (auto& member : *object) kept.insert_or_assign(without_nul(member.key()), std::move(member.value()));
    *object = std::move(kept);
  }
}

Received read_object(std::string_view text, std::string_view type) {
  Received received;
  received.size = text.size();
  json::parse_options options;
  options.max_depth = kMostDepth;
  boost::system::error_code problem;
  json::value value = json::parse(json::string_view(text.data(), text.size()), problem, {}, options);
  if (problem || !value.is_object()) {
    const Head head = read_head(text);
    DeadLetter letter;
    letter.name = head.name;
    letter.type = std::string(type);
    letter.size = text.size();
    letter.reason = problem ? "is not JSON: " + problem.message() : std::string("is no JSON object");
    if (!text.starts_with('{')) letter.excerpt = excerpt(text);  // else it may hold somebody's secret
    received.dead_letter = std::move(letter);
    return received;
  }
  if (text.find("\\u0000") != std::string_view::npos) remove_nul(value);
  received.object = std::move(value.get_object());
  received.written = drop_noise(received.object);
  return received;
}

}  // namespace waybill::kube
