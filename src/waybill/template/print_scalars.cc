#include <algorithm>
#include <cmath>

#include "waybill/base/hex.h"
#include "waybill/template/numbers.h"
#include "waybill/template/print.h"
#include "waybill/template/quoting.h"

// Printer's part for numbers and strings.
namespace waybill::gotemplate {

void Printer::padding(std::ptrdiff_t count, bool zeros_allowed) {
  if (count <= 0) return;
  const bool zeros = zeros_allowed && format_.zero && !format_.minus;
  out_.append(static_cast<std::size_t>(count), zeros ? '0' : ' ');
}

void Printer::pad(std::string_view text, bool zeros_allowed) {
  if (!format_.has_width || format_.width == 0) return out_.append(text);
  const auto missing = format_.width - static_cast<std::ptrdiff_t>(count_runes(text));
  if (!format_.minus) padding(missing, zeros_allowed);
  out_.append(text);
  if (format_.minus) padding(missing, zeros_allowed);
}

// A string's first `precision` runes.
std::string_view Printer::cut(std::string_view text) const {
  if (!format_.has_precision) return text;
  std::size_t end = 0;
  for (int i = 0; i < format_.precision && end < text.size(); ++i) end += decode_rune(text.substr(end)).width;
  return text.substr(0, end);
}

// ---- integers

void Printer::integer(const Value& value, Rune verb) {
  const bool is_signed = value.kind == Kind::kInt;
  const bool negative = is_signed && value.integer < 0;
  const std::uint64_t bits = value.unsigned_integer;
  const std::uint64_t magnitude = negative ? 0 - bits : bits;
  switch (verb) {
    case 'v':
      if (format_.sharp_v && !is_signed) {
        format_.sharp = true;
        digits(magnitude, negative, 16, verb, false);
        format_.sharp = false;
        return;
      }
      return digits(magnitude, negative, 10, verb, false);
    case 'd':
      return digits(magnitude, negative, 10, verb, false);
    case 'b':
      return digits(magnitude, negative, 2, verb, false);
    case 'o':
    case 'O':
      return digits(magnitude, negative, 8, verb, false);
    case 'x':
    case 'X':
      return digits(magnitude, negative, 16, verb, verb == 'X');
    case 'U':
      return code_point(bits);
    case 'c':
    case 'q': {
      const Rune rune = bits > kMaxRune ? kRuneError : static_cast<Rune>(bits);
      std::string text;
      if (verb == 'c') {
        append_rune(text, rune);
      } else {
        append_quoted_rune(text, rune, format_.plus ? QuoteStyle::kAscii : QuoteStyle::kUnicode);
      }
      return pad(text);
    }
    default:
      return bad_verb(value, verb);
  }
}

void Printer::digits(std::uint64_t magnitude, bool negative, int base, Rune verb, bool upper) {
  int precision = 0;  // the fewest digits
  if (format_.has_precision) {
    precision = format_.precision;
    if (precision == 0 && magnitude == 0) return padding(format_.width, false);
  } else if (format_.zero && !format_.minus && format_.has_width) {
    precision = format_.width;
    if (negative || format_.plus || format_.space) --precision;  // room for the sign
  }
  out_.reserve(static_cast<std::size_t>(std::max(precision, 0)));
  const std::string_view letters = hex_digits(upper);
  std::string text;  // from the last digit to the first
  do {
    text.push_back(letters[magnitude % static_cast<unsigned>(base)]);
    magnitude /= static_cast<unsigned>(base);
  } while (magnitude > 0);
  const auto fewest = static_cast<std::size_t>(std::max(precision, 0));
  if (text.size() < fewest) text.append(fewest - text.size(), '0');
  if (format_.sharp) {
    if (base == 2) text += "b0";
    if (base == 8 && text.back() != '0') text += "0";
    if (base == 16) text += upper ? "X0" : "x0";
  }
  if (verb == 'O') text += "o0";
  if (negative) {
    text.push_back('-');
  } else if (format_.plus || format_.space) {
    text.push_back(format_.plus ? '+' : ' ');
  }
  std::reverse(text.begin(), text.end());
  pad(text, false);
}

void Printer::code_point(std::uint64_t value) {
  const auto fewest = static_cast<std::size_t>(format_.has_precision ? std::max(4, format_.precision) : 4);
  out_.reserve(fewest);
  std::string digits;
  for (std::uint64_t rest = value; rest > 0; rest >>= 4U) digits.push_back("0123456789ABCDEF"[rest & 0xFU]);
  if (digits.size() < fewest) digits.append(fewest - digits.size(), '0');
  std::reverse(digits.begin(), digits.end());
  std::string text = "U+" + digits;
  if (format_.sharp && value <= kMaxRune && is_print(static_cast<Rune>(value))) {
    text += " '";
    append_rune(text, static_cast<Rune>(value));
    text += "'";
  }
  pad(text, false);
}

// ---- floats

void Printer::real(const Value& value, Rune verb) {
  switch (verb) {
    case 'v':
      return real_text(value.real, 'g', -1);
    case 'b':
    case 'g':
    case 'G':
    case 'x':
    case 'X':
      return real_text(value.real, static_cast<char>(verb), -1);
    case 'f':
    case 'e':
    case 'E':
      return real_text(value.real, static_cast<char>(verb), 6);
    case 'F':
      return real_text(value.real, 'f', 6);
    default:
      return bad_verb(value, verb);
  }
}

namespace {

// The sharp flag: always a decimal point, and the zeros that %g leaves out.
void keep_point(std::string& number, char verb, int precision) {
  int missing = 0;
  if (verb == 'g' || verb == 'G' || verb == 'x') missing = precision == -1 ? 6 : precision;
  std::string tail;
  bool has_point = false;
  bool significant = false;
  for (std::size_t i = 1; i < number.size(); ++i) {
    const char c = number[i];
    const bool decimal_exponent = (c == 'e' || c == 'E') && verb != 'x' && verb != 'X';
    if (c == 'p' || c == 'P' || decimal_exponent) {
      tail = number.substr(i);
      number.erase(i);
      break;
    }
    if (c == '.') {
      has_point = true;
      continue;
    }
    significant = significant || c != '0';
    if (significant) --missing;
  }
  if (!has_point) {
    if (number.size() == 2 && number[1] == '0') --missing;
    number.push_back('.');
  }
  if (missing > 0) number.append(static_cast<std::size_t>(missing), '0');
  number += tail;
}

}  // namespace

void Printer::real_text(double value, char verb, int precision) {
  if (format_.has_precision) precision = format_.precision;
  if (precision > 0) out_.reserve(verb == 'g' || verb == 'G' ? 0 : static_cast<std::size_t>(precision));
  if (format_.sharp && precision > 0) out_.reserve(static_cast<std::size_t>(precision));
  std::string number = format_float(value, verb, precision);
  if (number[0] != '-' && number[0] != '+') number.insert(0, 1, '+');
  if (format_.space && number[0] == '+' && !format_.plus) number[0] = ' ';
  if (!std::isfinite(value)) {
    if (std::isnan(value) && !format_.space && !format_.plus) number.erase(0, 1);
    return pad(number, false);
  }
  if (format_.sharp && verb != 'b') keep_point(number, verb, precision);
  if (!format_.plus && number[0] == '+') return pad(std::string_view(number).substr(1));
  const auto size = static_cast<std::ptrdiff_t>(number.size());
  if (format_.zero && !format_.minus && format_.has_width && format_.width > size) {
    out_.append(number[0]);
    padding(format_.width - size, true);
    return out_.append(std::string_view(number).substr(1));
  }
  pad(number);
}

// ---- strings

void Printer::string(const Value& value, Rune verb) {
  switch (verb) {
    case 'v':
      return format_.sharp_v ? quoted_text(value.string()) : pad(cut(value.string()));
    case 's':
      return pad(cut(value.string()));
    case 'x':
    case 'X':
      return hex_bytes(value.string(), verb == 'X');
    case 'q':
      return quoted_text(value.string());
    default:
      return bad_verb(value, verb);
  }
}

void Printer::quoted_text(std::string_view text) {
  text = cut(text);
  out_.reserve(text.size());
  if (format_.sharp && can_backquote(text)) {
    std::string raw = "`";
    raw.append(text);
    raw.push_back('`');
    return pad(raw);
  }
  std::string literal;
  append_quoted(literal, text, format_.plus ? QuoteStyle::kAscii : QuoteStyle::kUnicode);
  pad(literal);
}

void Printer::hex_bytes(std::string_view text, bool upper) {
  if (format_.has_precision) text = text.substr(0, static_cast<std::size_t>(format_.precision));
  if (text.empty()) return format_.has_width ? padding(format_.width, true) : void();
  const std::string_view letters = hex_digits(upper);
  const std::string_view prefix = upper ? "0X" : "0x";
  out_.reserve(text.size());
  std::string hex;
  if (format_.sharp) hex += prefix;
  bool first = true;
  for (const char c : text) {
    if (format_.space && !first) {
      hex.push_back(' ');
      if (format_.sharp) hex += prefix;
    }
    first = false;
    const auto byte = static_cast<unsigned char>(c);
    hex.push_back(letters[byte >> 4U]);
    hex.push_back(letters[byte & 0xFU]);
  }
  pad(hex);
}

}  // namespace waybill::gotemplate
