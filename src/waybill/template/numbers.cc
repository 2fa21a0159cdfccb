#include "waybill/template/numbers.h"

#include <absl/strings/charconv.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace waybill::gotemplate {
namespace {

char lower(char c) { return static_cast<char>(c | ('x' - 'X')); }

bool has_prefix_letter(std::string_view text, std::string_view letters) {
  return text.size() >= 2 && text[0] == '0' && letters.find(lower(text[1])) != std::string_view::npos;
}

// Underscores may only stand between digits or between the prefix of a base and a digit.
bool underscores_are_placed_well(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  enum class Last { kBegin, kDigit, kUnderscore, kOther } last = Last::kBegin;
  const bool hex = has_prefix_letter(text, "x");
  if (has_prefix_letter(text, "box")) {
    text.remove_prefix(2);
    last = Last::kDigit;
  }
  for (const char c : text) {
    const bool digit = (c >= '0' && c <= '9') || (hex && lower(c) >= 'a' && lower(c) <= 'f');
    if (digit) {
      last = Last::kDigit;
    } else if (c == '_') {
      if (last != Last::kDigit) return false;
      last = Last::kUnderscore;
    } else {
      if (last == Last::kUnderscore) return false;
      last = Last::kOther;
    }
  }
  return last != Last::kUnderscore;
}

struct Magnitude {
  std::optional<std::uint64_t> value;
  bool overflow = false;
};

// The digits behind the prefix; text without sign.
Magnitude parse_magnitude(std::string_view text) {
  if (text.empty()) return {};
  const std::string_view whole = text;
  int base = 10;
  if (text[0] == '0') {
    base = 8;
    std::size_t prefix = 1;
    if (text.size() >= 3 && has_prefix_letter(text, "box")) {
      base = lower(text[1]) == 'b' ? 2 : lower(text[1]) == 'o' ? 8 : 16;
      prefix = 2;
    }
    text.remove_prefix(prefix);
  }
  std::string digits(text);
  const bool underscores = std::erase(digits, '_') > 0;
  if (digits.empty() && text.empty()) return {0};  // "0"
  std::uint64_t value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (digits.empty() || result.ptr != digits.data() + digits.size()) return {};
  if (underscores && !underscores_are_placed_well(whole)) return {};
  if (result.ec == std::errc::result_out_of_range) return {std::nullopt, true};
  return result.ec == std::errc{} ? Magnitude{value} : Magnitude{};
}

// Whether every underscore of a mantissa or exponent may be dropped is known already; the rest must be
// digits with at most one point, then perhaps an exponent.
std::optional<double> parse_decimal(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value, std::chars_format::general);
  if (result.ptr != end) return std::nullopt;
  if (result.ec == std::errc{}) return value;
  if (result.ec != std::errc::result_out_of_range) return std::nullopt;
  double clamped = 0;  // from_chars doesn't say on which side the value is out of range
  absl::from_chars(text.data(), end, clamped);
  return clamped > 1 ? std::nullopt : std::optional(0.0);
}

std::optional<double> parse_hexadecimal(const std::string& text) {
  if (text.find_first_of("pP") == std::string::npos) return std::nullopt;
  double value = 0;
  const char* end = text.data() + text.size();
  const auto result = absl::from_chars(text.data(), end, value, absl::chars_format::hex);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) return std::nullopt;
  if (result.ec == std::errc::result_out_of_range) return value > 1 ? std::nullopt : std::optional(0.0);
  return value;
}

bool whole(double value) {
  return value >= -9223372036854775808.0 && value < 9223372036854775808.0 && std::trunc(value) == value;
}

bool whole_unsigned(double value) {
  return value >= 0 && value < 18446744073709551616.0 && std::trunc(value) == value;
}

// Whether the syntax asks for a float64 where no type is given. A hexadecimal integer may contain an e.
bool written_as_real(std::string_view literal) {
  const bool hex = literal.size() > 2 && has_prefix_letter(literal, "x") &&
                   literal.find_first_of("pP") == std::string_view::npos;
  return !hex && literal.find_first_of(".eEpP") != std::string_view::npos;
}

}  // namespace

std::optional<std::uint64_t> parse_unsigned(std::string_view text) { return parse_magnitude(text).value; }

std::optional<std::int64_t> parse_signed(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  const auto magnitude = parse_unsigned(text);
  if (!magnitude) return std::nullopt;
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 63U;
  if (*magnitude > kLimit || (*magnitude == kLimit && !negative)) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - *magnitude : *magnitude);
}

std::optional<double> parse_float(std::string_view text) {
  std::string digits(text);
  if (std::erase(digits, '_') > 0 && !underscores_are_placed_well(text)) return std::nullopt;
  const bool negative = !digits.empty() && digits[0] == '-';
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) digits.erase(0, 1);
  const bool hex = has_prefix_letter(digits, "x");
  if (hex) digits.erase(0, 2);
  if (digits.empty() || (digits[0] != '.' && !std::isxdigit(static_cast<unsigned char>(digits[0])))) {
    return std::nullopt;
  }
  const auto value = hex ? parse_hexadecimal(digits) : parse_decimal(digits);
  return value && negative ? std::optional(-*value) : value;
}

ParsedNumber parse_number(std::string_view literal) {
  Number number;
  if (literal.ends_with('i') && parse_float(literal.substr(0, literal.size() - 1))) {
    number.complex = true;
    return {number};
  }
  number.unsigned_integer = parse_unsigned(literal);
  number.integer = parse_signed(literal);
  if (number.integer == 0) number.unsigned_integer = 0;
  number.written_as_real = written_as_real(literal);
  if (number.integer) {
    number.real = static_cast<double>(*number.integer);
  } else if (number.unsigned_integer) {
    number.real = static_cast<double>(*number.unsigned_integer);
  } else if (const auto real = parse_float(literal)) {
    if (literal.find_first_of(".eEpP") == std::string_view::npos) return {std::nullopt, true};
    number.real = real;
    if (whole(*real)) number.integer = static_cast<std::int64_t>(*real);
    if (whole_unsigned(*real)) number.unsigned_integer = static_cast<std::uint64_t>(*real);
  } else {
    return {};
  }
  return {number};
}

std::int64_t truncated(double value) {
  const bool fits = value >= -9223372036854775808.0 && value < 9223372036854775808.0;
  return fits ? static_cast<std::int64_t>(value) : std::numeric_limits<std::int64_t>::min();
}

}  // namespace waybill::gotemplate
