#include <charconv>
#include <cmath>

#include "waybill/base/hex.h"
#include "waybill/template/functions/functions.h"
#include "waybill/template/job_fields.h"
#include "waybill/template/numbers.h"
#include "waybill/template/runes.h"

// toJson, as Go's encoding/json writes.
namespace waybill::gotemplate::functions {
namespace {

constexpr int kMostDepth = 500;

class JsonWriter {
 public:
  explicit JsonWriter(Sink& out) : out_(out) {}

  // False if the value holds a number that JSON can't express.
  bool write(const Value& value, int depth = 0);

 private:
  void string(std::string_view text);
  void escape(Rune rune);
  bool real(double value);
  bool list(const Value& value, int depth);
  bool map(const Value& value, int depth);
  bool object(const Value& value, int depth);

  Sink& out_;
};

bool JsonWriter::write(const Value& value, int depth) {
  if (depth > kMostDepth) throw Exhausted{"the data is nested too deeply"};
  switch (value.kind) {
    case Kind::kNil:
      out_.append("null");
      return true;
    case Kind::kBool:
      out_.append(value.boolean ? "true" : "false");
      return true;
    case Kind::kInt:
      out_.append(std::to_string(value.integer));
      return true;
    case Kind::kByte:
    case Kind::kUint:
      out_.append(std::to_string(value.unsigned_integer));
      return true;
    case Kind::kFloat:
      return real(value.real);
    case Kind::kString:
      string(value.string());
      return true;
    case Kind::kList:
    case Kind::kStrings:
      return list(value, depth);
    case Kind::kMap:
    case Kind::kOutputs:
      return map(value, depth);
    case Kind::kJob:
    case Kind::kRoot:
      return object(value, depth);
  }
  return false;
}

bool JsonWriter::real(double value) {
  if (!std::isfinite(value)) return false;
  const double size = std::fabs(value);
  const bool exponent = size != 0 && (size < 1e-6 || size >= 1e21);
  std::string text = format_float(value, exponent ? 'e' : 'f', -1);
  const std::size_t end = text.size();
  if (exponent && end >= 4 && text[end - 3] == '-' && text[end - 2] == '0') text.erase(end - 2, 1);
  out_.append(text);
  return true;
}

void JsonWriter::escape(Rune rune) {
  switch (rune) {
    case '\\':
      return out_.append("\\\\");
    case '"':
      return out_.append("\\\"");
    case '\b':
      return out_.append("\\b");
    case '\f':
      return out_.append("\\f");
    case '\n':
      return out_.append("\\n");
    case '\r':
      return out_.append("\\r");
    case '\t':
      return out_.append("\\t");
    default:
      out_.append("\\u");
      for (int shift = 12; shift >= 0; shift -= 4) out_.append(hex_digits()[rune >> shift & 0xFU]);
  }
}

// Besides what JSON demands, markup and the line separators are escaped; broken bytes become U+FFFD.
void JsonWriter::string(std::string_view text) {
  out_.append('"');
  while (!text.empty()) {
    const Decoded decoded = decode_rune(text);
    const Rune rune = decoded.rune;
    const bool markup = rune == '<' || rune == '>' || rune == '&';
    const bool separator = rune == 0x2028 || rune == 0x2029;
    if (rune < ' ' || rune == '"' || rune == '\\' || markup || separator || decoded.broken()) {
      escape(rune);
    } else {
      out_.append(text.substr(0, decoded.width));
    }
    text.remove_prefix(decoded.width);
  }
  out_.append('"');
}

bool JsonWriter::list(const Value& value, int depth) {
  if (value.absent) {
    out_.append("null");
    return true;
  }
  out_.append('[');
  for (std::size_t i = 0; i < value.size; ++i) {
    if (i > 0) out_.append(',');
    if (!write(value.element(i), depth + 1)) return false;
  }
  out_.append(']');
  return true;
}

bool JsonWriter::map(const Value& value, int depth) {
  if (value.absent) {
    out_.append("null");
    return true;
  }
  out_.append('{');
  out_.reserve(value.size * 4);  // each member takes at least four bytes, so sorting is paid for
  bool first = true;
  for (const MapEntry& entry : sorted_entries(value)) {
    if (!first) out_.append(',');
    first = false;
    string(entry.key);
    out_.append(':');
    if (!write(entry.value, depth + 1)) return false;
  }
  out_.append('}');
  return true;
}

bool JsonWriter::object(const Value& value, int depth) {
  out_.append('{');
  for (int field = 0; field < field_count(value); ++field) {
    if (field > 0) out_.append(',');
    string(field_name(value, field));
    out_.append(':');
    if (!write(field_value(value, field), depth + 1)) return false;
  }
  out_.append('}');
  return true;
}

}  // namespace

Value to_json(Workspace& work, Arguments arguments) {
  Sink sink = work.start();
  const bool written = JsonWriter(sink).write(arguments[0]);
  return written ? Value::of(work.take()) : Value::of(std::string_view());
}

}  // namespace waybill::gotemplate::functions
