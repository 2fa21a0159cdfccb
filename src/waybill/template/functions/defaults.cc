#include <string>

#include "waybill/template/functions/functions.h"
#include "waybill/template/numbers.h"

namespace waybill::gotemplate::functions {
namespace {

// Cuts ".0", ".00" and so on, but no other fraction, off the end.
std::string_view without_zero_fraction(std::string_view text) {
  const std::size_t last = text.find_last_not_of('0');
  const bool cut = last != std::string_view::npos && text[last] == '.' && last + 1 < text.size();
  return cut ? text.substr(0, last) : text;
}

std::int64_t integer_of(const Value& value) {
  switch (value.kind) {
    case Kind::kBool:
      return value.boolean ? 1 : 0;
    case Kind::kInt:
      return value.integer;
    case Kind::kByte:
    case Kind::kUint:
      return static_cast<std::int64_t>(value.unsigned_integer);
    case Kind::kFloat:
      return truncated(value.real);
    case Kind::kString:
      return parse_signed(without_zero_fraction(value.string())).value_or(0);
    default:
      return 0;
  }
}

}  // namespace

Value default_value(Workspace&, Arguments arguments) {
  const bool missing = arguments.size() < 2 || is_empty(arguments[1]);
  return arguments[missing ? 0 : 1].as_boxed();
}

Value empty(Workspace&, Arguments arguments) { return Value::of(is_empty(arguments[0])); }

Value coalesce(Workspace&, Arguments arguments) {
  for (const Value& value : arguments) {
    if (!is_empty(value)) return value.as_boxed();
  }
  return Value::boxed_nil();
}

Value ternary(Workspace&, Arguments arguments) { return arguments[arguments[2].boolean ? 0 : 1].as_boxed(); }

Value to_int(Workspace& work, Arguments arguments) {
  if (arguments[0].kind == Kind::kString) work.charge(arguments[0].size);
  return Value::of(integer_of(arguments[0]));
}

}  // namespace waybill::gotemplate::functions
