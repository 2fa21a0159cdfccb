#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Members of objects that others wrote: one that is missing is as good as one of a wrong type.
namespace waybill::kube {

inline const boost::json::value* member_at(const boost::json::object& object, std::string_view name) {
  return object.if_contains(boost::json::string_view(name.data(), name.size()));
}
inline const boost::json::object* object_at(const boost::json::object& object, std::string_view name) {
  const boost::json::value* member = member_at(object, name);
  return member == nullptr ? nullptr : member->if_object();
}
inline std::string text_at(const boost::json::object& object, std::string_view name) {
  const boost::json::value* member = member_at(object, name);
  const boost::json::string* text = member == nullptr ? nullptr : member->if_string();
  return text == nullptr ? std::string() : std::string(text->data(), text->size());
}
inline std::optional<std::int64_t> whole_at(const boost::json::object& object, std::string_view name) {
  const boost::json::value* member = member_at(object, name);
  const std::int64_t* number = member == nullptr ? nullptr : member->if_int64();
  return number == nullptr ? std::nullopt : std::optional(*number);
}

}  // namespace waybill::kube
