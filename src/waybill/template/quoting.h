#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "waybill/template/runes.h"

// Go's string and character literals: strconv.Quote, Unquote and their kin.
namespace waybill::gotemplate {

enum class QuoteStyle { kUnicode, kAscii };

// Appends text as a Go literal between double quotes; kAscii escapes all that is not ASCII.
void append_quoted(std::string& out, std::string_view text, QuoteStyle style = QuoteStyle::kUnicode);
[[nodiscard]] std::string quoted(std::string_view text);

// Appends a rune as a Go character literal; an invalid one as U+FFFD.
void append_quoted_rune(std::string& out, Rune rune, QuoteStyle style = QuoteStyle::kUnicode);

// Whether text can stand between back quotes on one line as it is.
[[nodiscard]] bool can_backquote(std::string_view text);

// The text of a literal between double or back quotes; nothing if its syntax is wrong.
[[nodiscard]] std::optional<std::string> unquoted(std::string_view literal);

// The rune of a character literal such as 'a' or '\n'. kMalformed: more than one character.
struct CharLiteral {
  enum class Problem { kNone, kSyntax, kMalformed } problem = Problem::kNone;
  Rune rune = 0;
};
[[nodiscard]] CharLiteral unquoted_char(std::string_view literal);

}  // namespace waybill::gotemplate
