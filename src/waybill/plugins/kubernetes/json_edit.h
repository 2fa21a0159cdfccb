#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <string>
#include <string_view>

// Changes of manifests that others wrote: what is of a wrong type is replaced.
namespace waybill::plugins {

// The member of that name, an object.
inline boost::json::object& part(boost::json::object& parent, std::string_view name) {
  boost::json::value& member = parent[boost::json::string_view(name.data(), name.size())];
  if (!member.is_object()) member = boost::json::object();
  return member.get_object();
}

// Nothing is set to "".
inline void set_text(boost::json::object& object, std::string_view name, const std::string& value) {
  if (!value.empty()) object[boost::json::string_view(name.data(), name.size())] = value;
}

inline void set_texts(boost::json::object& object, const std::map<std::string, std::string>& texts) {
  for (const auto& [name, value] : texts) object[name] = value;
}

}  // namespace waybill::plugins
