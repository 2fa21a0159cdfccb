#include "waybill/template/print.h"

#include <charconv>

#include "waybill/template/job_fields.h"

namespace waybill::gotemplate {
namespace {

// Deeper data than any config or JSON may be; a guard for the stack.
constexpr int kMostDepth = 500;

}  // namespace

void Printer::argument(const Value& value, Rune verb) {
  if (value.is_nil()) {
    if (verb == 'T' || verb == 'v') return pad("<nil>");
    return bad_verb(value, verb);
  }
  if (verb == 'T') return pad(cut(concrete_type(value)));
  if (verb == 'p' || verb == 'w') return bad_verb(value, verb);
  nested(value, verb, 0);
}

void Printer::nested(const Value& value, Rune verb, int depth) {
  if (depth > kMostDepth) throw Exhausted{"the data is nested too deeply"};
  switch (value.kind) {
    case Kind::kNil:
      if (!value.boxed) return depth == 0 ? out_.append("<invalid reflect.Value>") : out_.append("<nil>");
      return out_.append(format_.sharp_v ? "interface {}(nil)" : "<nil>");
    case Kind::kBool:
      return boolean(value, verb);
    case Kind::kInt:
    case Kind::kByte:
    case Kind::kUint:
      return integer(value, verb);
    case Kind::kFloat:
      return real(value, verb);
    case Kind::kString:
      return string(value, verb);
    case Kind::kList:
    case Kind::kStrings:
      return list(value, verb, depth);
    case Kind::kMap:
    case Kind::kOutputs:
      return map(value, verb, depth);
    case Kind::kJob:
    case Kind::kRoot:
      return object(value, verb, depth);
  }
}

void Printer::bad_verb(const Value& value, Rune verb) {
  std::string head = "%!";
  append_rune(head, verb);
  out_.append(head + "(");
  if (value.is_nil()) {
    out_.append("<nil>");
  } else {
    out_.append(concrete_type(value));
    out_.append('=');
    nested(value, 'v', 0);
  }
  out_.append(')');
}

void Printer::list(const Value& value, Rune verb, int depth) {
  if (format_.sharp_v) {
    out_.append(concrete_type(value));
    if (value.absent) return out_.append("(nil)");
  }
  out_.append(format_.sharp_v ? '{' : '[');
  for (std::size_t i = 0; i < value.size; ++i) {
    if (i > 0) out_.append(format_.sharp_v ? ", " : " ");
    nested(value.element(i), verb, depth + 1);
  }
  out_.append(format_.sharp_v ? '}' : ']');
}

void Printer::map(const Value& value, Rune verb, int depth) {
  if (format_.sharp_v) {
    out_.append(concrete_type(value));
    if (value.absent) return out_.append("(nil)");
  }
  out_.append(format_.sharp_v ? "{" : "map[");
  bool first = true;
  out_.reserve(value.size * 2);  // each member takes at least two bytes, so sorting is paid for
  for (const MapEntry& entry : sorted_entries(value)) {
    if (!first) out_.append(format_.sharp_v ? ", " : " ");
    first = false;
    nested(Value::of(entry.key), verb, depth + 1);
    out_.append(':');
    nested(entry.value, verb, depth + 1);
  }
  out_.append(format_.sharp_v ? '}' : ']');
}

void Printer::object(const Value& value, Rune verb, int depth) {
  if (format_.sharp_v) out_.append(concrete_type(value));
  out_.append('{');
  for (int field = 0; field < field_count(value); ++field) {
    if (field > 0) out_.append(format_.sharp_v ? ", " : " ");
    if (format_.plus_v || format_.sharp_v) {
      out_.append(field_name(value, field));
      out_.append(':');
    }
    nested(field_value(value, field), verb, depth + 1);
  }
  out_.append('}');
}

void Printer::boolean(const Value& value, Rune verb) {
  if (verb != 't' && verb != 'v') return bad_verb(value, verb);
  pad(value.boolean ? "true" : "false");
}

void print(Sink& out, const Value& value) {
  if (value.kind == Kind::kString) return out.append(value.string());
  if (value.kind == Kind::kInt) {
    char text[24];
    const auto end = std::to_chars(std::begin(text), std::end(text), value.integer).ptr;
    return out.append(std::string_view(text, static_cast<std::size_t>(end - text)));
  }
  Printer(out).argument(value, 'v');
}

void print_all(Sink& out, std::span<const Value> values) {
  bool after_string = true;  // no space before the first
  for (const Value& value : values) {
    const bool string = value.kind == Kind::kString;
    if (!string && !after_string) out.append(' ');
    print(out, value);
    after_string = string;
  }
}

void print_line(Sink& out, std::span<const Value> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out.append(' ');
    print(out, values[i]);
  }
  out.append('\n');
}

}  // namespace waybill::gotemplate
