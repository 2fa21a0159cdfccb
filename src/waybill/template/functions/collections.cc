#include <fmt/format.h>

#include "waybill/template/functions/functions.h"

// index, slice, len and what reads a map's key that may be missing.
namespace waybill::gotemplate::functions {
namespace {

// An index into something of `limit` elements. As in Go the limit itself passes.
std::size_t checked_index(const Value& index, std::size_t limit) {
  std::int64_t number = 0;
  if (!index.boxed && index.kind == Kind::kInt) {
    number = index.integer;
  } else if (!index.boxed && (index.kind == Kind::kByte || index.kind == Kind::kUint)) {
    number = static_cast<std::int64_t>(index.unsigned_integer);
  } else if (!index.boxed && index.is_nil()) {
    throw FunctionError{"cannot index slice/array with nil"};
  } else {
    throw FunctionError{fmt::format("cannot index slice/array with type {}", static_type(index))};
  }
  if (number < 0 || static_cast<std::uint64_t>(number) > limit) {
    throw FunctionError{fmt::format("index out of range: {}", number)};
  }
  return static_cast<std::size_t>(number);
}

std::string_view checked_key(const Value& index) {
  if (index.is_nil()) throw FunctionError{"value is nil; should be of type string"};
  if (index.kind != Kind::kString) {
    throw FunctionError{fmt::format("value has type {}; should be string", concrete_type(index))};
  }
  return index.string();
}

Value indexed_once(const Value& item, const Value& index) {
  if (item.is_map()) {
    Value found;
    const std::string_view key = checked_key(index);
    return item.lookup(key, found) ? found : Value::boxed_nil();
  }
  if (item.kind != Kind::kString && !item.is_list()) {
    throw FunctionError{fmt::format("can't index item of type {}", static_type(item))};
  }
  const std::size_t at = checked_index(index, item.size);
  if (at == item.size) {
    throw FunctionError{item.is_list() ? "reflect: slice index out of range"
                                       : "reflect: string index out of range"};
  }
  return item.is_list() ? item.element(at) : Value::byte(static_cast<unsigned char>(item.text[at]));
}

Value part_of(const Value& item, std::size_t from, std::size_t to, std::size_t capacity_end) {
  Value part = item;
  part.size = to - from;
  if (item.kind == Kind::kString) {
    part.text += from;
    return part;
  }
  part.capacity = capacity_end - from;
  if (item.kind == Kind::kList) {
    part.list += from;
  } else if (item.owns_views) {
    part.views += from;
  } else {
    part.strings += from;
  }
  return part;
}

}  // namespace

Value index(Workspace&, Arguments arguments) {
  Value item = arguments[0].unboxed();
  if (item.is_nil()) throw FunctionError{"index of untyped nil"};
  for (const Value& index : arguments.subspan(1)) {
    if (item.is_nil()) throw FunctionError{"index of nil pointer"};
    item = indexed_once(item.unboxed(), index.unboxed());
  }
  return item;
}

Value slice(Workspace&, Arguments arguments) {
  const Value item = arguments[0].unboxed();
  const Arguments indexes = arguments.subspan(1);
  if (item.is_nil()) throw FunctionError{"slice of untyped nil"};
  if (indexes.size() > 3) throw FunctionError{fmt::format("too many slice indexes: {}", indexes.size())};
  if (item.kind == Kind::kString && indexes.size() == 3) throw FunctionError{"cannot 3-index slice a string"};
  if (item.kind != Kind::kString && !item.is_list()) {
    throw FunctionError{fmt::format("can't slice item of type {}", static_type(item))};
  }
  const std::size_t capacity = item.is_list() ? item.capacity : item.size;
  std::size_t bounds[3] = {0, item.size, capacity};
  for (std::size_t i = 0; i < indexes.size(); ++i) bounds[i] = checked_index(indexes[i], capacity);
  for (std::size_t i = 0; i < 2; ++i) {
    if (bounds[i] > bounds[i + 1]) {
      throw FunctionError{fmt::format("invalid slice index: {} > {}", bounds[i], bounds[i + 1])};
    }
  }
  return part_of(item, bounds[0], bounds[1], bounds[2]);
}

Value len(Workspace&, Arguments arguments) {
  const Value& item = arguments[0];
  if (item.is_nil()) {
    throw FunctionError{item.boxed ? "len of nil pointer"
                                   : "reflect: call of reflect.Value.Type on zero Value"};
  }
  if (!item.has_length()) throw FunctionError{fmt::format("len of type {}", concrete_type(item))};
  return Value::of(static_cast<std::int64_t>(item.size));
}

Value get(Workspace&, Arguments arguments) {
  Value found;
  if (arguments[0].is_map() && arguments[0].lookup(arguments[1].string(), found)) return found;
  return Value::of(std::string_view()).as_boxed();
}

Value has_key(Workspace&, Arguments arguments) {
  Value found;
  return Value::of(arguments[0].is_map() && arguments[0].lookup(arguments[1].string(), found));
}

Value dig(Workspace&, Arguments arguments) {
  if (arguments.size() < 3) throw FunctionError{"dig needs at least three arguments"};
  const auto wrong = [](const Value& value, std::string_view wanted) {
    const std::string_view got = value.is_nil() ? "nil" : concrete_type(value);
    return FunctionError{fmt::format("interface conversion: interface {{}} is {}, not {}", got, wanted)};
  };
  constexpr std::string_view kMapType = "map[string]interface {}";
  Value place = arguments.back();
  if (!place.is_map()) throw wrong(place, kMapType);
  const Arguments keys = arguments.first(arguments.size() - 2);
  for (const Value& key : keys) {
    if (key.kind != Kind::kString) throw wrong(key, "string");
  }
  for (const Value& key : keys) {
    if (!place.is_map()) throw wrong(place, kMapType);
    Value found;
    if (!place.lookup(key.string(), found)) return arguments[arguments.size() - 2].as_boxed();
    place = found;
  }
  return place.as_boxed();
}

}  // namespace waybill::gotemplate::functions
