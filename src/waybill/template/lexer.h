#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "waybill/template/runes.h"

// Cuts a template's text into tokens, as Go's text/template/parse does.
namespace waybill::gotemplate {

enum class Token {
  kError,  // the text of the item is the message
  kBool,
  kChar,  // a printable ASCII character without other meaning, such as a comma
  kCharConstant,
  kComplex,
  kAssign,
  kDeclare,
  kEof,
  kField,
  kIdentifier,
  kLeftDelimiter,
  kLeftParen,
  kNumber,
  kPipe,
  kRawString,
  kRightDelimiter,
  kRightParen,
  kSpace,
  kString,
  kText,
  kVariable,
  // keywords
  kBlock,
  kBreak,
  kContinue,
  kDot,
  kDefine,
  kElse,
  kEnd,
  kIf,
  kNil,
  kRange,
  kTemplate,
  kWith,
};

struct Item {
  Token token = Token::kError;
  std::size_t position = 0;  // bytes from the start of the text
  std::string text;
  int line = 0;  // where it starts, from 1; 0: no item yet

  // As error messages name it.
  [[nodiscard]] std::string described() const;
};

class Lexer {
 public:
  // The text must live as long as the lexer.
  explicit Lexer(std::string_view text) : input_(text) {}

  // The next item. After an error the input counts as empty.
  Item next();

 private:
  [[nodiscard]] std::string_view rest() const { return input_.substr(position_); }
  Rune take();
  Rune peek();
  void back();
  bool accept(std::string_view valid);
  void accept_run(std::string_view valid);
  void ignore();
  Item make(Token token);
  Item fail(std::string message);

  Item text();
  Item action();
  Item comment();
  Item left_delimiter();
  Item right_delimiter();
  Item space();
  Item identifier();
  Item field_or_variable(Token token);
  Item quoted_literal(char quote, Token token, std::string_view what);
  Item raw_string();
  Item number();
  bool scan_number();
  bool at_terminator();
  struct Delimiter {
    bool found = false;
    bool trims = false;
  };
  [[nodiscard]] Delimiter right_delimiter_here() const;

  std::string_view input_;
  std::size_t position_ = 0;
  std::size_t start_ = 0;  // of the item being read
  int paren_depth_ = 0;
  int line_ = 1;
  int start_line_ = 1;
  bool at_end_ = false;
  bool inside_action_ = false;
};

}  // namespace waybill::gotemplate
