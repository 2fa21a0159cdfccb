#include "waybill/template/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "waybill/template/quoting.h"

namespace waybill::gotemplate {
namespace {

constexpr Rune kEnd = 0xFFFFFFFF;  // no rune: the end of the text
constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::size_t kTrimMarker = 2;  // a minus and the space beside it

constexpr std::array<std::pair<std::string_view, Token>, 11> kKeywords = {{
    {"block", Token::kBlock},
    {"break", Token::kBreak},
    {"continue", Token::kContinue},
    {"define", Token::kDefine},
    {"else", Token::kElse},
    {"end", Token::kEnd},
    {"if", Token::kIf},
    {"nil", Token::kNil},
    {"range", Token::kRange},
    {"template", Token::kTemplate},
    {"with", Token::kWith},
}};

bool is_template_space(Rune rune) { return rune == ' ' || rune == '\t' || rune == '\r' || rune == '\n'; }

bool is_alphanumeric(Rune rune) { return rune == '_' || (rune != kEnd && is_letter_or_digit(rune)); }

bool has_left_trim(std::string_view text) {
  return text.size() >= 2 && text[0] == '-' && is_template_space(static_cast<unsigned char>(text[1]));
}

bool has_right_trim(std::string_view text) {
  return text.size() >= 2 && text[1] == '-' && is_template_space(static_cast<unsigned char>(text[0]));
}

std::size_t spaces_at_start(std::string_view text) {
  return std::min(text.find_first_not_of(kSpaces), text.size());
}

std::size_t spaces_at_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of(kSpaces);
  return last == std::string_view::npos ? text.size() : text.size() - last - 1;
}

int count_lines(std::string_view text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

// Go's %#U: the code point, and the character itself if it can be shown.
std::string code_point(Rune rune) {
  if (rune == kEnd) return "U+FFFFFFFFFFFFFFFF";
  std::string text = fmt::format("U+{:04X}", static_cast<std::uint32_t>(rune));
  if (!is_print(rune)) return text;
  text += " '";
  append_rune(text, rune);
  return text + "'";
}

// The first ten runes of a text.
std::string_view beginning(std::string_view text) {
  std::size_t end = 0;
  for (int i = 0; i < 10 && end < text.size(); ++i) end += decode_rune(text.substr(end)).width;
  return text.substr(0, end);
}

}  // namespace

std::string Item::described() const {
  if (token == Token::kEof) return "EOF";
  if (token == Token::kError) return text;
  if (token >= Token::kBlock) return "<" + text + ">";
  if (text.size() > 10) return quoted(beginning(text)) + "...";
  return quoted(text);
}

Rune Lexer::take() {
  if (position_ >= input_.size()) {
    at_end_ = true;
    return kEnd;
  }
  const Decoded decoded = decode_rune(rest());
  position_ += decoded.width;
  if (decoded.rune == '\n') ++line_;
  return decoded.rune;
}

void Lexer::back() {
  if (at_end_ || position_ == 0) return;
  const Decoded decoded = decode_last_rune(input_.substr(0, position_));
  position_ -= decoded.width;
  if (decoded.rune == '\n') --line_;
}

Rune Lexer::peek() {
  const Rune rune = take();
  back();
  return rune;
}

bool Lexer::accept(std::string_view valid) {
  const Rune rune = take();
  if (rune < 0x80 && valid.find(static_cast<char>(rune)) != std::string_view::npos) return true;
  back();
  return false;
}

void Lexer::accept_run(std::string_view valid) {
  while (accept(valid)) {
  }
}

void Lexer::ignore() {
  line_ += count_lines(input_.substr(start_, position_ - start_));
  start_ = position_;
  start_line_ = line_;
}

Item Lexer::make(Token token) {
  Item item{token, start_, std::string(input_.substr(start_, position_ - start_)), start_line_};
  start_ = position_;
  start_line_ = line_;
  return item;
}

Item Lexer::fail(std::string message) {
  Item item{Token::kError, start_, std::move(message), start_line_};
  start_ = 0;
  position_ = 0;
  input_ = {};
  return item;
}

Item Lexer::next() { return inside_action_ ? action() : text(); }

Item Lexer::text() {
  for (;;) {
    const std::size_t brace = rest().find("{{");
    if (brace == std::string_view::npos) {
      position_ = input_.size();
      if (position_ == start_) return make(Token::kEof);
      line_ += count_lines(input_.substr(start_));
      return make(Token::kText);
    }
    if (brace > 0) {
      position_ += brace;
      std::size_t trimmed = 0;
      if (has_left_trim(rest().substr(2))) trimmed = spaces_at_end(input_.substr(start_, position_ - start_));
      position_ -= trimmed;
      line_ += count_lines(input_.substr(start_, position_ - start_));
      Item item = make(Token::kText);
      position_ += trimmed;
      ignore();
      if (!item.text.empty()) return item;
    }
    const std::size_t marker = has_left_trim(rest().substr(2)) ? kTrimMarker : 0;
    if (!rest().substr(2 + marker).starts_with("/*")) return left_delimiter();
    position_ += 2 + marker;
    ignore();
    Item problem = comment();
    if (problem.token == Token::kError) return problem;
  }
}

Item Lexer::left_delimiter() {
  position_ += 2;
  const bool trims = has_left_trim(rest());
  Item item = make(Token::kLeftDelimiter);
  inside_action_ = true;
  if (trims) position_ += kTrimMarker;
  ignore();
  paren_depth_ = 0;
  return item;
}

// Skips a comment up to the text behind it. The item is only looked at if it is an error.
Item Lexer::comment() {
  const std::size_t end = rest().find("*/", 2);
  if (end == std::string_view::npos) return fail("unclosed comment");
  position_ += end + 2;
  const Delimiter delimiter = right_delimiter_here();
  if (!delimiter.found) return fail("comment ends before closing delimiter");
  line_ += count_lines(input_.substr(start_, position_ - start_));
  Item item = make(Token::kSpace);
  position_ += delimiter.trims ? kTrimMarker + 2 : 2;
  if (delimiter.trims) position_ += spaces_at_start(rest());
  ignore();
  return item;
}

Lexer::Delimiter Lexer::right_delimiter_here() const {
  if (has_right_trim(rest()) && rest().substr(kTrimMarker).starts_with("}}")) return {true, true};
  return {rest().starts_with("}}"), false};
}

Item Lexer::right_delimiter() {
  const bool trims = right_delimiter_here().trims;
  if (trims) {
    position_ += kTrimMarker;
    ignore();
  }
  position_ += 2;
  Item item = make(Token::kRightDelimiter);
  if (trims) {
    position_ += spaces_at_start(rest());
    ignore();
  }
  inside_action_ = false;
  return item;
}

Item Lexer::action() {
  if (right_delimiter_here().found) {
    return paren_depth_ == 0 ? right_delimiter() : fail("unclosed left paren");
  }
  const Rune rune = take();
  switch (rune) {
    case kEnd:
      return fail("unclosed action");
    case ' ':
    case '\t':
    case '\r':
    case '\n':
      back();
      return space();
    case '=':
      return make(Token::kAssign);
    case ':':
      return take() == '=' ? make(Token::kDeclare) : fail("expected :=");
    case '|':
      return make(Token::kPipe);
    case '"':
      return quoted_literal('"', Token::kString, "unterminated quoted string");
    case '\'':
      return quoted_literal('\'', Token::kCharConstant, "unterminated character constant");
    case '`':
      return raw_string();
    case '$':
      return at_terminator() ? make(Token::kVariable) : field_or_variable(Token::kVariable);
    case '(':
      ++paren_depth_;
      return make(Token::kLeftParen);
    case ')':
      return --paren_depth_ < 0 ? fail("unexpected right paren") : make(Token::kRightParen);
    default:
      break;
  }
  const bool digit_next = position_ < input_.size() && input_[position_] >= '0' && input_[position_] <= '9';
  if (rune == '.' && position_ < input_.size() && !digit_next) return field_or_variable(Token::kField);
  if (rune == '.' || rune == '+' || rune == '-' || (rune >= '0' && rune <= '9')) {
    back();
    return number();
  }
  if (is_alphanumeric(rune)) {
    back();
    return identifier();
  }
  if (rune < 0x80 && is_print(rune)) return make(Token::kChar);
  return fail("unrecognized character in action: " + code_point(rune));
}

// The first space is still to be taken. A space before a trimming delimiter belongs to that.
Item Lexer::space() {
  int spaces = 0;
  for (; is_template_space(peek()); ++spaces) take();
  const std::string_view last = input_.substr(position_ - 1);
  if (has_right_trim(last) && last.substr(kTrimMarker).starts_with("}}")) {
    back();
    if (spaces == 1) return right_delimiter();
  }
  return make(Token::kSpace);
}

Item Lexer::identifier() {
  Rune rune = take();
  while (is_alphanumeric(rune)) rune = take();
  back();
  if (!at_terminator()) return fail("bad character " + code_point(rune));
  const std::string_view word = input_.substr(start_, position_ - start_);
  for (const auto& [name, token] : kKeywords) {
    if (word == name) return make(token);
  }
  return make(word == "true" || word == "false" ? Token::kBool : Token::kIdentifier);
}

Item Lexer::field_or_variable(Token token) {
  if (at_terminator()) return make(token == Token::kVariable ? Token::kVariable : Token::kDot);
  Rune rune = take();
  while (is_alphanumeric(rune)) rune = take();
  back();
  if (!at_terminator()) return fail("bad character " + code_point(rune));
  return make(token);
}

bool Lexer::at_terminator() {
  const Rune rune = peek();
  if (is_template_space(rune)) return true;
  constexpr std::string_view kTerminators = ".,|:)(";
  if (rune == kEnd) return true;
  if (rune < 0x80 && kTerminators.find(static_cast<char>(rune)) != std::string_view::npos) return true;
  return rest().starts_with("}}");
}

// The opening quote is taken. Escapes are only skipped here; the parser decodes them.
Item Lexer::quoted_literal(char quote, Token token, std::string_view what) {
  for (;;) {
    Rune rune = take();
    if (rune == static_cast<Rune>(quote)) return make(token);
    if (rune == '\\') {
      rune = take();
      if (rune != kEnd && rune != '\n') continue;
    }
    if (rune == kEnd || rune == '\n') return fail(std::string(what));
  }
}

Item Lexer::raw_string() {
  for (;;) {
    const Rune rune = take();
    if (rune == kEnd) return fail("unterminated raw quoted string");
    if (rune == '`') return make(Token::kRawString);
  }
}

Item Lexer::number() {
  const auto bad = [this] {
    return fail("bad number syntax: " + quoted(input_.substr(start_, position_ - start_)));
  };
  if (!scan_number()) return bad();
  const Rune sign = peek();
  if (sign != '+' && sign != '-') return make(Token::kNumber);
  if (!scan_number() || input_[position_ - 1] != 'i') return bad();
  return make(Token::kComplex);
}

// Takes what looks like a number; whether it is one is for the parser to say.
bool Lexer::scan_number() {
  accept("+-");
  std::string_view digits = "0123456789_";
  bool decimal = true;
  bool hex = false;
  if (accept("0")) {
    decimal = false;
    if (accept("xX")) {
      digits = "0123456789abcdefABCDEF_";
      hex = true;
    } else if (accept("oO")) {
      digits = "01234567_";
    } else if (accept("bB")) {
      digits = "01_";
    } else {
      decimal = true;
    }
  }
  accept_run(digits);
  if (accept(".")) accept_run(digits);
  if ((decimal && accept("eE")) || (hex && accept("pP"))) {
    accept("+-");
    accept_run("0123456789_");
  }
  accept("i");
  if (!is_alphanumeric(peek())) return true;
  take();
  return false;
}

}  // namespace waybill::gotemplate
