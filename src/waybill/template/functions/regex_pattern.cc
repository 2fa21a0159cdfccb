#include "waybill/template/functions/regex_pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <optional>

#include "waybill/template/runes.h"

namespace waybill::gotemplate::functions {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view reason(RE2::ErrorCode code) {
  switch (code) {
    case RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case RE2::ErrorBadCharClass:
      return "invalid character class";
    case RE2::ErrorBadCharRange:
      return "invalid character class range";
    case RE2::ErrorMissingBracket:
      return "missing closing ]";
    case RE2::ErrorMissingParen:
      return "missing closing )";
    case RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    case RE2::ErrorPatternTooLarge:
      return "expression too large";
    default:
      return "internal error";
  }
}

// RE2 here knows neither (?<name>…) nor a name that two groups share, and knows \C, which Go doesn't. So
// names are taken out of the pattern and \C is refused.
class Translator {
 public:
  explicit Translator(std::string_view source) : source_(source) {}

  // False: `mistake` says why.
  bool run();

  std::string pattern;
  std::vector<std::string> names = {""};
  std::string mistake;

 private:
  bool escape();
  bool group();
  void copy(std::size_t count) {
    pattern.append(source_.substr(at_, count));
    at_ += count;
  }
  void copy_class();
  [[nodiscard]] bool here(std::string_view text) const { return source_.substr(at_).starts_with(text); }

  std::string_view source_;
  std::size_t at_ = 0;
};

bool Translator::run() {
  while (at_ < source_.size()) {
    if (here("\\")) {
      if (!escape()) return false;
    } else if (here("[")) {
      copy_class();
    } else if (here("(")) {
      if (!group()) return false;
    } else {
      copy(1);
    }
  }
  return true;
}

bool Translator::escape() {
  if (here("\\Q")) {
    const std::size_t end = source_.find("\\E", at_);
    copy(end == std::string_view::npos ? source_.size() - at_ : end + 2 - at_);
    return true;
  }
  if (here("\\C")) {
    mistake = "invalid escape sequence: `\\C`";
    return false;
  }
  copy(std::min<std::size_t>(2, source_.size() - at_));
  return true;
}

// Up to its closing bracket, which may stand first as a character of its own. A class like [:alpha:] has
// brackets too.
void Translator::copy_class() {
  copy(1);
  if (here("^")) copy(1);
  if (here("]")) copy(1);
  while (at_ < source_.size() && !here("]")) {
    if (here("[:")) {
      const std::size_t end = source_.find(":]", at_ + 2);
      copy(end == std::string_view::npos ? 2 : end + 2 - at_);
    } else {
      copy(here("\\") ? std::min<std::size_t>(2, source_.size() - at_) : 1);
    }
  }
  if (at_ < source_.size()) copy(1);
}

bool Translator::group() {
  const std::size_t named = here("(?P<") ? 4 : here("(?<") && !here("(?<=") && !here("(?<!") ? 3 : 0;
  if (named == 0) {
    if (!here("(?")) names.emplace_back();
    copy(1);
    return true;
  }
  const std::string_view rest = source_.substr(at_);
  const std::size_t end = rest.find('>');
  const std::string_view capture = end == std::string_view::npos ? rest : rest.substr(0, end + 1);
  const std::string_view name =
      end == std::string_view::npos ? std::string_view() : rest.substr(named, end - named);
  if (name.empty() || !std::all_of(name.begin(), name.end(), is_word)) {
    mistake = fmt::format("invalid named capture: `{}`", capture);
    return false;
  }
  names.emplace_back(name);
  pattern.push_back('(');
  at_ += capture.size();
  return true;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Decoded decoded = decode_rune(text);
    if (decoded.broken()) return false;
    text.remove_prefix(decoded.width);
  }
  return true;
}

std::string mistake_of(const RE2& regex, std::string_view source) {
  const RE2::ErrorCode code = regex.error_code();
  // For an open group RE2 names what is left of the pattern, Go the whole of it.
  const bool whole = code == RE2::ErrorMissingParen || code == RE2::ErrorUnexpectedParen;
  return fmt::format("{}: `{}`", reason(code), whole ? std::string(source) : regex.error_arg());
}

}  // namespace

RegexPattern compile_pattern(std::string_view source) {
  RegexPattern result;
  if (!is_utf8(source)) {
    result.mistake = fmt::format("invalid UTF-8: `{}`", source);
    return result;
  }
  Translator translator(source);
  if (!translator.run()) {
    result.mistake = translator.mistake;
    return result;
  }
  RE2::Options options;
  options.set_log_errors(false);
  auto regex = std::make_shared<const RE2>(translator.pattern, options);
  if (!regex->ok()) {
    result.mistake = mistake_of(*regex, source);
    return result;
  }
  result.regex = std::move(regex);
  result.names = std::move(translator.names);
  return result;
}

}  // namespace waybill::gotemplate::functions
