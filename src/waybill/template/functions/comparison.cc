#include <fmt/format.h>

#include "waybill/template/functions/functions.h"
#include "waybill/template/print.h"

namespace waybill::gotemplate::functions {
namespace {

// What can be compared with what. Signed and unsigned integers can be compared with each other.
enum class Basic { kNone, kBool, kInt, kUint, kFloat, kString };

Basic basic_kind(const Value& value) {
  switch (value.kind) {
    case Kind::kBool:
      return Basic::kBool;
    case Kind::kInt:
      return Basic::kInt;
    case Kind::kByte:
    case Kind::kUint:
      return Basic::kUint;
    case Kind::kFloat:
      return Basic::kFloat;
    case Kind::kString:
      return Basic::kString;
    default:
      return Basic::kNone;
  }
}

FunctionError incompatible(const Value& a, const Value& b) {
  return {fmt::format("incompatible types for comparison: {} and {}", concrete_type(a), concrete_type(b))};
}

bool is_integer(Basic kind) { return kind == Basic::kInt || kind == Basic::kUint; }

bool is_negative(const Value& value) { return value.kind == Kind::kInt && value.integer < 0; }

bool equal_basic(const Value& a, const Value& b, Basic kind) {
  switch (kind) {
    case Basic::kBool:
      return a.boolean == b.boolean;
    case Basic::kFloat:
      return a.real == b.real;
    case Basic::kString:
      return a.string() == b.string();
    default:
      return a.unsigned_integer == b.unsigned_integer;
  }
}

bool less_basic(const Value& a, const Value& b, Basic kind) {
  switch (kind) {
    case Basic::kInt:
      return a.integer < b.integer;
    case Basic::kUint:
      return a.unsigned_integer < b.unsigned_integer;
    case Basic::kFloat:
      return a.real < b.real;
    default:
      return a.string() < b.string();
  }
}

std::string shown(Workspace& work, const Value& value, Rune verb) {
  Sink sink = work.start();
  Printer(sink).nested(value, verb, 0);
  return sink.text();
}

bool same_container(const Value& a, const Value& b) {
  return (a.is_map() && b.is_map()) || a.kind == b.kind || (a.is_list() && b.is_list()) ||
         (a.is_struct() && b.is_struct());
}

// Lists, maps and structs equal nothing but nil.
bool equal_containers(Workspace& work, const Value& a, const Value& b) {
  if (!a.is_nil() && !b.is_nil() && !same_container(a, b)) {
    throw FunctionError{fmt::format("non-comparable types {}: {}, {}: {}", shown(work, a, 's'),
                                    concrete_type(a), concrete_type(b), shown(work, b, 'v'))};
  }
  const bool a_is_nil = a.is_nil() || a.absent;
  const bool b_is_nil = b.is_nil() || b.absent;
  if (a_is_nil || b_is_nil) return a_is_nil == b_is_nil;
  throw FunctionError{fmt::format("non-comparable type {}: {}", shown(work, b, 's'), concrete_type(b))};
}

bool equal(Workspace& work, const Value& a, const Value& b) {
  const Basic kind = basic_kind(a);
  const Basic other = basic_kind(b);
  if (kind == other) {
    if (kind == Basic::kNone) return equal_containers(work, a, b);
    if (kind == Basic::kString) work.charge(a.size);
    return equal_basic(a, b, kind);
  }
  if (is_integer(kind) && is_integer(other)) {
    return !is_negative(a) && !is_negative(b) && a.unsigned_integer == b.unsigned_integer;
  }
  if (!a.is_nil() && !b.is_nil()) throw incompatible(a, b);
  return false;
}

bool less(Workspace& work, const Value& a, const Value& b) {
  const Basic kind = basic_kind(a);
  const Basic other = basic_kind(b);
  if (kind == Basic::kNone || other == Basic::kNone) throw FunctionError{"invalid type for comparison"};
  if (kind == other) {
    if (kind == Basic::kBool) throw FunctionError{"invalid type for comparison"};
    if (kind == Basic::kString) work.charge(a.size);
    return less_basic(a, b, kind);
  }
  if (!is_integer(kind) || !is_integer(other)) throw incompatible(a, b);
  if (is_negative(a)) return true;
  return !is_negative(b) && a.unsigned_integer < b.unsigned_integer;
}

bool less_or_equal(Workspace& work, const Value& a, const Value& b) {
  return less(work, a, b) || equal(work, a, b);
}

}  // namespace

Value logical_not(Workspace&, Arguments arguments) { return Value::of(!truth(arguments[0])); }

Value eq(Workspace& work, Arguments arguments) {
  if (arguments.size() < 2) throw FunctionError{"missing argument for comparison"};
  for (const Value& other : arguments.subspan(1)) {
    if (equal(work, arguments[0].unboxed(), other.unboxed())) return Value::of(true);
  }
  return Value::of(false);
}

Value ne(Workspace& work, Arguments arguments) {
  return Value::of(!equal(work, arguments[0].unboxed(), arguments[1].unboxed()));
}

Value lt(Workspace& work, Arguments arguments) {
  return Value::of(less(work, arguments[0].unboxed(), arguments[1].unboxed()));
}

Value le(Workspace& work, Arguments arguments) {
  return Value::of(less_or_equal(work, arguments[0].unboxed(), arguments[1].unboxed()));
}

Value gt(Workspace& work, Arguments arguments) {
  return Value::of(!less_or_equal(work, arguments[0].unboxed(), arguments[1].unboxed()));
}

Value ge(Workspace& work, Arguments arguments) {
  return Value::of(!less(work, arguments[0].unboxed(), arguments[1].unboxed()));
}

}  // namespace waybill::gotemplate::functions
