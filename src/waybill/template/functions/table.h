#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "waybill/template/value.h"
#include "waybill/template/workspace.h"

// The functions that templates may call, with the types of their parameters.
namespace waybill::gotemplate {

// The type of a parameter, which decides how an argument is checked and converted.
enum class Parameter : std::uint8_t {
  kNone,
  kValue,   // reflect.Value: anything, as it is
  kAny,     // interface {}
  kString,  // string
  kInt,     // int
  kBool,    // bool
  kMap,     // map[string]interface {}
};

// Go's name of the type.
[[nodiscard]] std::string_view type_name(Parameter parameter);

// Called with as many arguments as its parameters ask for, each of their types; those of kAny are not boxed.
// A boxed result has the static type interface {}. Throws FunctionError or Exhausted.
using Function = Value (*)(Workspace& work, std::span<const Value> arguments);

struct FunctionEntry {
  std::string_view name;
  Function call;
  std::array<Parameter, 3> fixed = {Parameter::kNone, Parameter::kNone, Parameter::kNone};
  Parameter variadic = Parameter::kNone;

  [[nodiscard]] std::size_t fixed_count() const;
  [[nodiscard]] bool is_variadic() const { return variadic != Parameter::kNone; }
  // The type of the argument at an index.
  [[nodiscard]] Parameter parameter(std::size_t index) const;
};

// The entry of a name, or nullptr. It lives as long as the program.
[[nodiscard]] const FunctionEntry* find_function(std::string_view name);

// Three that the evaluator handles itself: and and or stop early, call sees the source of its argument.
[[nodiscard]] bool is_and(const FunctionEntry& entry);
[[nodiscard]] bool is_or(const FunctionEntry& entry);
[[nodiscard]] bool is_call(const FunctionEntry& entry);

}  // namespace waybill::gotemplate
