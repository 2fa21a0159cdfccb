#include "waybill/template/value.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

namespace waybill::gotemplate {

Value Value::of(bool value) {
  Value result;
  result.kind = Kind::kBool;
  result.boolean = value;
  return result;
}

Value Value::of(std::int64_t value) {
  Value result;
  result.kind = Kind::kInt;
  result.integer = value;
  return result;
}

Value Value::of(std::uint64_t value) {
  Value result;
  result.kind = Kind::kUint;
  result.unsigned_integer = value;
  return result;
}

Value Value::byte(unsigned char value) {
  Value result = of(std::uint64_t{value});
  result.kind = Kind::kByte;
  return result;
}

Value Value::of(double value) {
  Value result;
  result.kind = Kind::kFloat;
  result.real = value;
  return result;
}

Value Value::of(std::string_view value) {
  Value result;
  result.kind = Kind::kString;
  result.text = value.data();
  result.size = value.size();
  return result;
}

Value Value::of(const std::vector<std::string>& value) {
  Value result;
  result.kind = Kind::kStrings;
  result.strings = value.data();
  result.size = value.size();
  result.capacity = value.size();
  return result;
}

Value Value::of(const boost::json::object& value, bool floats) {
  Value result;
  result.kind = Kind::kMap;
  result.map = &value;
  result.size = value.size();
  result.floats = floats;
  return result;
}

Value Value::of(const boost::json::value& value, bool floats) {
  Value result;
  switch (value.kind()) {
    case boost::json::kind::null:
      break;
    case boost::json::kind::bool_:
      result = of(value.get_bool());
      break;
    case boost::json::kind::int64:
      result = floats ? of(static_cast<double>(value.get_int64())) : of(value.get_int64());
      break;
    case boost::json::kind::uint64:
      result = floats ? of(static_cast<double>(value.get_uint64())) : of(value.get_uint64());
      break;
    case boost::json::kind::double_:
      result = of(value.get_double());
      break;
    case boost::json::kind::string: {
      const auto& string = value.get_string();
      result = of(std::string_view(string.data(), string.size()));
      break;
    }
    case boost::json::kind::array: {
      const auto& array = value.get_array();
      result.kind = Kind::kList;
      result.list = array.data();
      result.size = array.size();
      result.capacity = array.size();
      result.floats = floats;
      break;
    }
    case boost::json::kind::object:
      result = of(value.get_object(), floats);
      break;
  }
  result.boxed = true;
  return result;
}

Value Value::of(const domain::Outputs& value) {
  Value result;
  result.kind = Kind::kOutputs;
  result.outputs = &value;
  result.size = value.size();
  return result;
}

Value Value::of(const JobView& value) {
  Value result;
  result.kind = Kind::kJob;
  result.job = &value;
  return result;
}

Value Value::of(const Data& value) {
  Value result;
  result.kind = Kind::kRoot;
  result.root = &value;
  return result;
}

Value Value::boxed_nil() {
  Value result;
  result.boxed = true;
  return result;
}

Value Value::unboxed() const {
  Value result = *this;
  result.boxed = false;
  return result;
}

Value Value::as_boxed() const {
  Value result = *this;
  result.boxed = true;
  return result;
}

Value Value::element(std::size_t index) const {
  if (kind == Kind::kList) return of(list[index], floats);
  return of(owns_views ? views[index] : std::string_view(strings[index]));
}

bool Value::lookup(std::string_view key, Value& found) const {
  if (kind == Kind::kMap) {
    const auto* member = map->if_contains(boost::json::string_view(key.data(), key.size()));
    if (member == nullptr) return false;
    found = of(*member, floats);
    return true;
  }
  const auto member = outputs->find(std::string(key));
  if (member == outputs->end()) return false;
  found = of(std::string_view(member->second)).as_boxed();
  return true;
}

std::vector<MapEntry> sorted_entries(const Value& map) {
  std::vector<MapEntry> entries;
  entries.reserve(map.size);
  if (map.kind == Kind::kOutputs) {
    for (const auto& [key, text] : *map.outputs)
      entries.push_back({key, Value::of(std::string_view(text)).as_boxed()});
    return entries;
  }
  for (const auto& member : *map.map) {
    entries.push_back({{member.key().data(), member.key().size()}, Value::of(member.value(), map.floats)});
  }
  std::sort(entries.begin(), entries.end(),
            [](const MapEntry& a, const MapEntry& b) { return a.key < b.key; });
  return entries;
}

bool truth(const Value& value) {
  switch (value.kind) {
    case Kind::kNil:
      return false;
    case Kind::kBool:
      return value.boolean;
    case Kind::kInt:
      return value.integer != 0;
    case Kind::kByte:
    case Kind::kUint:
      return value.unsigned_integer != 0;
    case Kind::kFloat:
      return value.real != 0;  // NaN is true, -0 is not
    case Kind::kString:
    case Kind::kList:
    case Kind::kStrings:
    case Kind::kMap:
    case Kind::kOutputs:
      return value.size > 0;
    case Kind::kJob:
    case Kind::kRoot:
      return true;
  }
  return false;
}

std::string_view static_type(const Value& value) {
  return value.boxed ? "interface {}" : concrete_type(value);
}

std::string_view concrete_type(const Value& value) {
  switch (value.kind) {
    case Kind::kNil:
      return "<nil>";
    case Kind::kBool:
      return "bool";
    case Kind::kInt:
      return "int";
    case Kind::kByte:
      return "uint8";
    case Kind::kUint:
      return "uint64";
    case Kind::kFloat:
      return "float64";
    case Kind::kString:
      return "string";
    case Kind::kList:
      return "[]interface {}";
    case Kind::kStrings:
      return "[]string";
    case Kind::kMap:
    case Kind::kOutputs:
      return "map[string]interface {}";
    case Kind::kJob:
      return "waybill.Job";
    case Kind::kRoot:
      return "waybill.Root";
  }
  return "<nil>";
}

}  // namespace waybill::gotemplate
