#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Numbers in Go's syntax and as Go's strconv writes them.
namespace waybill::gotemplate {

// Integers of Go's syntax: prefixes 0x, 0o, 0b and 0, underscores between digits; a sign only if signed.
[[nodiscard]] std::optional<std::uint64_t> parse_unsigned(std::string_view text);
[[nodiscard]] std::optional<std::int64_t> parse_signed(std::string_view text);

// A decimal or hexadecimal floating-point number; nothing if the syntax is wrong or the value too large.
[[nodiscard]] std::optional<double> parse_float(std::string_view text);

// A number literal, which is all the types that can hold it at once, as Go's ideal constants are.
struct Number {
  std::optional<std::int64_t> integer;
  std::optional<std::uint64_t> unsigned_integer;
  std::optional<double> real;
  bool complex = false;          // imaginary, which this language refuses
  bool written_as_real = false;  // where no type is asked for, the literal is a float64
};

// nullopt: illegal syntax. `overflow`: an integer that no type can hold.
struct ParsedNumber {
  std::optional<Number> number;
  bool overflow = false;
};
[[nodiscard]] ParsedNumber parse_number(std::string_view literal);

// As strconv.FormatFloat: `verb` is one of b e E f g G x X, precision -1 the fewest digits that read back the
// same.
[[nodiscard]] std::string format_float(double value, char verb, int precision);

// Go's conversion of a float64 to int on amd64: truncated; the smallest int64 for what does not fit.
[[nodiscard]] std::int64_t truncated(double value);

}  // namespace waybill::gotemplate
