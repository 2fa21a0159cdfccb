#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "waybill/base/hex.h"
#include "waybill/template/numbers.h"

namespace waybill::gotemplate {
namespace {

// More digits than any float64 has behind its point or in all; what is asked for beyond them is zeros.
constexpr int kMostDigits = 1100;

// The decimal digits of a number without trailing zeros: 0.digits times ten to the power of `point`.
struct Digits {
  std::string digits;
  int point = 0;
};

// Takes text of the form d.ddde±dd apart.
Digits take_apart(std::string_view text) {
  Digits result;
  const std::size_t e = text.find('e');
  for (const char c : text.substr(0, e)) {
    if (c != '.') result.digits.push_back(c);
  }
  int exponent = 0;
  const std::size_t from = text[e + 1] == '+' ? e + 2 : e + 1;
  std::from_chars(text.data() + from, text.data() + text.size(), exponent);
  result.digits.erase(result.digits.find_last_not_of('0') + 1);
  result.point = result.digits.empty() ? 0 : exponent + 1;
  return result;
}

std::string chars(double value, std::chars_format format, int precision) {
  char buffer[2 * kMostDigits];
  const int held = std::min(precision, kMostDigits);
  const auto result = precision < 0
                          ? std::to_chars(std::begin(buffer), std::end(buffer), value, format)
                          : std::to_chars(std::begin(buffer), std::end(buffer), value, format, held);
  return {buffer, result.ptr};
}

// Puts the zeros that chars() leaves out behind the digits, before an exponent if there is one.
std::string with_zeros(std::string text, int precision) {
  if (precision <= kMostDigits) return text;
  const std::size_t at = std::min(text.find('e'), text.size());
  text.insert(at, static_cast<std::size_t>(precision - kMostDigits), '0');
  return text;
}

// d.ddde±dd with all the digits there are.
std::string exponent_form(const Digits& number, char letter) {
  std::string text(1, number.digits.empty() ? '0' : number.digits[0]);
  if (number.digits.size() > 1) text += "." + number.digits.substr(1);
  const int exponent = number.digits.empty() ? 0 : number.point - 1;
  text.push_back(letter);
  text.push_back(exponent < 0 ? '-' : '+');
  if (std::abs(exponent) < 10) text.push_back('0');
  return text + std::to_string(std::abs(exponent));
}

// ddd.ddd with all the digits there are.
std::string point_form(const Digits& number) {
  const auto size = static_cast<int>(number.digits.size());
  if (number.point <= 0) {
    if (size == 0) return "0";
    return "0." + std::string(static_cast<std::size_t>(-number.point), '0') + number.digits;
  }
  if (size <= number.point) {
    return number.digits + std::string(static_cast<std::size_t>(number.point - size), '0');
  }
  std::string text = number.digits;
  return text.insert(static_cast<std::size_t>(number.point), 1, '.');
}

// %g: the exponent form for very small and very large numbers.
std::string general_form(double value, char letter, int precision) {
  const bool shortest = precision < 0;
  if (precision == 0) precision = 1;
  const Digits number =
      take_apart(chars(value, std::chars_format::scientific, shortest ? -1 : precision - 1));
  const auto size = static_cast<int>(number.digits.size());
  int limit = precision;
  if (limit > size && size >= number.point) limit = size;
  if (shortest) limit = 6;
  const int exponent = number.point - 1;
  const bool with_exponent = exponent < -4 || exponent >= limit;
  return with_exponent ? exponent_form(number, letter) : point_form(number);
}

std::string binary_exponent(int exponent, std::size_t digits) {
  std::string text = std::to_string(std::abs(exponent));
  if (text.size() < digits) text.insert(0, digits - text.size(), '0');
  return (exponent < 0 ? "-" : "+") + text;
}

struct Parts {
  std::uint64_t mantissa;
  int exponent;  // of the mantissa's lowest bit
};

Parts parts_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto field = static_cast<int>(bits >> 52U & 0x7FF);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52U) - 1);
  if (field == 0) return {fraction, 1 - 1023 - 52};
  return {fraction | std::uint64_t{1} << 52U, field - 1023 - 52};
}

// %b: the mantissa as a whole number and the exponent of two.
std::string binary_form(double value) {
  const Parts parts = parts_of(value);
  return std::to_string(parts.mantissa) + "p" + binary_exponent(parts.exponent, 1);
}

// %x: one hexadecimal digit before the point, the rest behind it.
std::string hexadecimal_form(double value, int precision, bool upper) {
  Parts parts = parts_of(value);
  if (parts.mantissa == 0) parts.exponent = -52;
  // The leading bit moves to bit 60, so that 15 hexadecimal digits stand behind the point.
  std::uint64_t mantissa = parts.mantissa << 8U;
  int exponent = parts.exponent + 52;
  while (mantissa != 0 && (mantissa & (std::uint64_t{1} << 60U)) == 0) {
    mantissa <<= 1U;
    --exponent;
  }
  if (precision >= 0 && precision < 15) {
    const auto shift = static_cast<unsigned>(precision) * 4;
    const std::uint64_t extra = (mantissa << shift) & ((std::uint64_t{1} << 60U) - 1);
    mantissa >>= 60 - shift;
    const std::uint64_t half = std::uint64_t{1} << 59U;
    if (extra > half || (extra == half && (mantissa & 1U) != 0)) ++mantissa;
    mantissa <<= 60 - shift;
    if ((mantissa & (std::uint64_t{1} << 61U)) != 0) {
      mantissa >>= 1U;
      ++exponent;
    }
  }
  const std::string_view digits = hex_digits(upper);
  std::string text = upper ? "0X" : "0x";
  text.push_back(digits[mantissa >> 60U & 1U]);
  mantissa <<= 4U;
  std::string fraction;
  for (int i = 0; precision < 0 ? mantissa != 0 : i < std::min(precision, 15); ++i, mantissa <<= 4U) {
    fraction.push_back(digits[mantissa >> 60U]);
  }
  if (precision > 15) fraction.append(static_cast<std::size_t>(precision - 15), '0');
  if (!fraction.empty()) text += "." + fraction;
  return text + (upper ? "P" : "p") + binary_exponent(exponent, 2);
}

std::string magnitude(double value, char verb, int precision) {
  switch (verb) {
    case 'b':
      return binary_form(value);
    case 'x':
    case 'X':
      return hexadecimal_form(value, precision, verb == 'X');
    case 'g':
    case 'G':
      return general_form(value, verb == 'g' ? 'e' : 'E', precision);
    case 'f':
      if (precision < 0) return point_form(take_apart(chars(value, std::chars_format::scientific, -1)));
      return with_zeros(chars(value, std::chars_format::fixed, precision), precision);
    default: {
      std::string text = precision < 0
                             ? exponent_form(take_apart(chars(value, std::chars_format::scientific, -1)), 'e')
                             : with_zeros(chars(value, std::chars_format::scientific, precision), precision);
      if (verb == 'E') std::replace(text.begin(), text.end(), 'e', 'E');
      return text;
    }
  }
}

}  // namespace

std::string format_float(double value, char verb, int precision) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Inf" : "+Inf";
  const std::string text = magnitude(std::fabs(value), verb, precision);
  return std::signbit(value) ? "-" + text : text;
}

}  // namespace waybill::gotemplate
