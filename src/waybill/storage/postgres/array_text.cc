#include "waybill/storage/postgres/array_text.h"

#include <string_view>

namespace waybill::storage {
namespace {

void append_quoted(std::string_view text, std::string& out) {
  out += '"';
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '"' && text[i] != '\\') continue;
    out.append(text, start, i - start);
    out += '\\';
    start = i;
  }
  out.append(text, start);
  out += '"';
}

}  // namespace

std::string to_array_text(std::span<const Value* const> values) {
  std::string out;
  char between = '{';
  for (const Value* value : values) {
    out += between;
    between = ',';
    if (const auto* number = std::get_if<std::int64_t>(value)) {
      out += std::to_string(*number);
    } else if (const auto* text = std::get_if<std::string>(value)) {
      append_quoted(*text, out);
    } else {
      out += "NULL";
    }
  }
  if (values.empty()) out += '{';
  out += '}';
  return out;
}

}  // namespace waybill::storage
