#pragma once

#include <span>
#include <string_view>

#include "waybill/template/runes.h"
#include "waybill/template/value.h"
#include "waybill/template/workspace.h"

// Go's package fmt: how values print.
namespace waybill::gotemplate {

// The flags, width and precision of one verb.
struct Format {
  int width = 0;
  int precision = 0;
  bool has_width = false;
  bool has_precision = false;
  bool minus = false;
  bool plus = false;
  bool sharp = false;
  bool space = false;
  bool zero = false;
  bool plus_v = false;   // %+v
  bool sharp_v = false;  // %#v
};

// Writes values under one Format.
class Printer {
 public:
  explicit Printer(Sink& out, Format format = {}) : out_(out), format_(format) {}

  // A value that stands for itself.
  void argument(const Value& value, Rune verb);
  // A value inside a list, map or struct (depth > 0), or one that Go hands on by reflection.
  void nested(const Value& value, Rune verb, int depth);

 private:
  void bad_verb(const Value& value, Rune verb);
  void boolean(const Value& value, Rune verb);
  void integer(const Value& value, Rune verb);
  void digits(std::uint64_t magnitude, bool negative, int base, Rune verb, bool upper);
  void code_point(std::uint64_t value);
  void real(const Value& value, Rune verb);
  void real_text(double value, char verb, int precision);
  void string(const Value& value, Rune verb);
  void hex_bytes(std::string_view text, bool upper);
  void quoted_text(std::string_view text);
  void list(const Value& value, Rune verb, int depth);
  void map(const Value& value, Rune verb, int depth);
  void object(const Value& value, Rune verb, int depth);
  void pad(std::string_view text, bool zeros_allowed = true);
  void padding(std::ptrdiff_t count, bool zeros_allowed);
  [[nodiscard]] std::string_view cut(std::string_view text) const;

  Sink& out_;
  Format format_;
};

// %v.
void print(Sink& out, const Value& value);

// Sprint: a space between two operands of which neither is a string. Sprintln: always, and a newline.
void print_all(Sink& out, std::span<const Value> values);
void print_line(Sink& out, std::span<const Value> values);

// Sprintf. Never fails: mistakes show in the text, as in "%!d(string=hi)".
void print_formatted(Sink& out, std::string_view format, std::span<const Value> values);

}  // namespace waybill::gotemplate
