#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "waybill/template/template.h"

// What expressions evaluate to: Go's types as far as templates can meet them. Values view the data, the
// template or the workspace of an execution and own nothing, so they are as cheap as pointers.
namespace waybill::gotemplate {

enum class Kind : std::uint8_t {
  kNil,      // no value at all, or, if boxed, a nil interface
  kBool,     // bool
  kInt,      // int
  kByte,     // uint8, what indexing a string gives
  kUint,     // uint64
  kFloat,    // float64
  kString,   // string
  kList,     // []interface {}
  kStrings,  // []string
  kMap,      // map[string]interface {}
  kOutputs,  // map[string]interface {} that holds strings only
  kJob,      // struct waybill.Job
  kRoot,     // struct waybill.Root
};

struct Value {
  Kind kind = Kind::kNil;
  bool boxed = false;       // its static type is interface {}: an element of a list or map
  bool absent = false;      // a nil list or map, as an unset field of a job is
  bool floats = false;      // of lists and maps: JSON, whose integers count as float64
  bool owns_views = false;  // of kStrings: `views`, otherwise `strings`
  union {
    bool boolean;
    std::int64_t integer = 0;
    std::uint64_t unsigned_integer;
    double real;
    const char* text;
    const boost::json::value* list;
    const std::string* strings;
    const std::string_view* views;
    const boost::json::object* map;
    const domain::Outputs* outputs;
    const JobView* job;
    const Data* root;
  };
  std::size_t size = 0;      // bytes or elements
  std::size_t capacity = 0;  // of lists: how far slice may grow it again

  static Value of(bool value);
  static Value of(std::int64_t value);
  static Value of(std::uint64_t value);
  static Value of(double value);
  static Value of(std::string_view value);
  static Value of(const std::vector<std::string>& value);
  static Value of(const boost::json::object& value, bool floats);
  static Value of(const boost::json::value& value, bool floats);  // boxed, as all that lists and maps hold
  static Value of(const domain::Outputs& value);
  static Value of(const JobView& value);
  static Value of(const Data& value);
  static Value byte(unsigned char value);
  static Value boxed_nil();

  [[nodiscard]] std::string_view string() const { return {text, size}; }
  [[nodiscard]] bool is_nil() const { return kind == Kind::kNil; }
  [[nodiscard]] bool is_list() const { return kind == Kind::kList || kind == Kind::kStrings; }
  [[nodiscard]] bool is_map() const { return kind == Kind::kMap || kind == Kind::kOutputs; }
  [[nodiscard]] bool is_struct() const { return kind == Kind::kJob || kind == Kind::kRoot; }
  [[nodiscard]] bool has_length() const { return kind == Kind::kString || is_list() || is_map(); }

  // The value inside an interface; others as they are.
  [[nodiscard]] Value unboxed() const;
  [[nodiscard]] Value as_boxed() const;

  // Of lists.
  [[nodiscard]] Value element(std::size_t index) const;
  // Of maps: whether the key is there, and its value.
  [[nodiscard]] bool lookup(std::string_view key, Value& found) const;
};

struct MapEntry {
  std::string_view key;
  Value value;
};

// A map's members, sorted by the bytes of their keys.
[[nodiscard]] std::vector<MapEntry> sorted_entries(const Value& map);

// Go's truth: not the zero value of its type, not empty; structs always.
[[nodiscard]] bool truth(const Value& value);

// Sprig's `empty`, which is the opposite for all types here.
[[nodiscard]] inline bool is_empty(const Value& value) { return !truth(value); }

// "int", "[]string", "waybill.Job"; "interface {}" if boxed; "<nil>" for no value.
[[nodiscard]] std::string_view static_type(const Value& value);
[[nodiscard]] std::string_view concrete_type(const Value& value);

}  // namespace waybill::gotemplate
