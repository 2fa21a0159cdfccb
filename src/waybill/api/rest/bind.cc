#include "waybill/api/rest/bind.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cmath>
#include <utility>

#include "waybill/api/rest/http/message.h"
#include "waybill/base/go_json.h"
#include "waybill/base/status.h"

namespace waybill::rest {
namespace json = boost::json;
namespace {

std::string shown(const json::value& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  std::string text = go_json(value);
  if (text.size() > 60) text = "a long text";
  return text;
}

absl::Status wrong(std::string_view name, const json::value& value, std::string_view wanted) {
  return invalid(fmt::format("{}: {} is not {}", name, shown(value), wanted));
}

std::optional<std::int64_t> whole(const json::value& value) {
  if (!value.is_number()) return std::nullopt;
  const double number = value.to_number<double>();
  if (number != std::trunc(number) || std::fabs(number) > 9007199254740992.0) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

// Puts one value where it belongs. `name` is for the error.
struct Put {
  std::string_view name;
  const json::value& value;

  absl::Status operator()(std::string* into) const {
    if (value.is_null()) return absl::OkStatus();
    if (!value.is_string()) return wrong(name, value, "a string");
    *into = value.get_string();
    return absl::OkStatus();
  }
  absl::Status operator()(bool* into) const {
    if (value.is_null()) return absl::OkStatus();
    if (!value.is_bool()) return wrong(name, value, "true or false");
    *into = value.get_bool();
    return absl::OkStatus();
  }
  absl::Status operator()(std::int64_t* into) const {
    if (value.is_null()) return absl::OkStatus();
    const auto number = whole(value);
    if (!number) return wrong(name, value, "a whole number");
    *into = *number;
    return absl::OkStatus();
  }
  absl::Status operator()(double* into) const {
    if (value.is_null()) return absl::OkStatus();
    if (!value.is_number()) return wrong(name, value, "a number");
    *into = value.to_number<double>();
    return absl::OkStatus();
  }
  absl::Status operator()(Words* into) const {
    into->reset();
    if (value.is_null()) return absl::OkStatus();
    if (!value.is_array()) return wrong(name, value, "a list of strings");
    std::vector<std::string> words;
    for (const json::value& item : value.get_array()) {
      if (!item.is_string()) return wrong(fmt::format("{}[{}]", name, words.size()), item, "a string");
      words.emplace_back(item.get_string());
    }
    *into = std::move(words);
    return absl::OkStatus();
  }
  absl::Status operator()(Object* into) const {
    into->reset();
    if (value.is_null()) return absl::OkStatus();
    if (!value.is_object()) return wrong(name, value, "an object");
    *into = value.get_object();
    return absl::OkStatus();
  }
  absl::Status operator()(std::optional<json::value>* into) const {
    *into = value;
    return absl::OkStatus();
  }
  absl::Status operator()(Members::Ignored type) const {
    if (value.is_null()) return absl::OkStatus();
    switch (type) {
      case Members::Ignored::kText:
        return value.is_string() ? absl::OkStatus() : wrong(name, value, "a string");
      case Members::Ignored::kFlag:
        return value.is_bool() ? absl::OkStatus() : wrong(name, value, "true or false");
      case Members::Ignored::kInteger:
        return whole(value) ? absl::OkStatus() : wrong(name, value, "a whole number");
      case Members::Ignored::kObject:
        return value.is_object() ? absl::OkStatus() : wrong(name, value, "an object");
      case Members::Ignored::kJobStatus: {
        const auto id = whole(value);
        const bool known = id && *id >= 1 && *id <= 8;
        return known ? absl::OkStatus()
                     : wrong(name, value, "the id of a job status (1 to 8), which the server sets");
      }
    }
    return absl::OkStatus();
  }
};

}  // namespace

const Members::Member* Members::find(std::string_view name) const {
  for (const Member& member : members_) {
    if (same_letters(member.name, name)) return &member;
  }
  return nullptr;
}

absl::Status Members::read(const json::object& body, const Query* query) {
  for (const auto& item : body) {
    const Member* member = find(item.key());
    if (member == nullptr) {
      warnings_.push_back(
          fmt::format("unknown member \"{}\" is ignored", std::string_view(item.key()).substr(0, 100)));
      continue;
    }
    WB_TRY(std::visit(Put{member->name, item.value()}, member->target));
  }
  if (query == nullptr) return absl::OkStatus();
  for (const auto& [name, value] : query->items()) {
    const Member* member = find(name);
    if (member == nullptr) continue;
    const json::value text(json::string_view(value.data(), value.size()));
    WB_TRY(std::visit(Put{member->name, text}, member->target));
  }
  return absl::OkStatus();
}

}  // namespace waybill::rest
