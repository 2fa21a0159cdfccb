#include "waybill/cli/toml.h"

#include <absl/strings/numbers.h>
#include <fmt/format.h>

#include <utility>

#include "waybill/base/json.h"
#include "waybill/base/status.h"

namespace waybill::cli {
namespace {

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

void append_utf8(char32_t code, std::string& out) {
  const auto put = [&out](char32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0U | (code >> 6U));
    put(0x80U | (code & 0x3fU));
  } else if (code < 0x10000) {
    put(0xe0U | (code >> 12U));
    put(0x80U | ((code >> 6U) & 0x3fU));
    put(0x80U | (code & 0x3fU));
  } else {
    put(0xf0U | (code >> 18U));
    put(0x80U | ((code >> 12U) & 0x3fU));
    put(0x80U | ((code >> 6U) & 0x3fU));
    put(0x80U | (code & 0x3fU));
  }
}

class TomlReader {
 public:
  explicit TomlReader(std::string_view text) : text_(text) {}

  absl::StatusOr<TomlDocument> read() {
    document_[""];
    while (at_ < text_.size()) {
      skip_spaces();
      if (!at_end_of_line()) {
        const bool is_table = peek() == '[';
        WB_TRY(is_table ? read_table() : read_pair());
      }
      WB_TRY(end_line());
    }
    return std::move(document_);
  }

 private:
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  [[nodiscard]] bool at_end_of_line() const {
    return at_ >= text_.size() || peek() == '\n' || peek() == '\r' || peek() == '#';
  }
  [[nodiscard]] int column() const { return static_cast<int>(at_ - line_start_) + 1; }
  [[nodiscard]] absl::Status problem(std::string_view what) const {
    return invalid(fmt::format("{}:{}: {}", line_, column(), what));
  }
  void skip_spaces() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }

  absl::Status end_line() {
    skip_spaces();
    if (peek() == '#') {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    }
    if (peek() == '\r') ++at_;
    if (at_ >= text_.size()) return absl::OkStatus();
    if (peek() != '\n') return problem("expected the end of the line");
    ++at_;
    ++line_;
    line_start_ = at_;
    return absl::OkStatus();
  }

  absl::Status read_table() {
    ++at_;
    if (peek() == '[') return problem("lists of tables are not used here: write [name]");
    std::string name;
    while (true) {
      skip_spaces();
      WB_ASSIGN(const std::string part, read_key());
      name += name.empty() ? part : "." + part;
      skip_spaces();
      if (peek() != '.') break;
      ++at_;
    }
    if (peek() != ']') return problem("expected ] after the table's name");
    ++at_;
    if (!document_.try_emplace(name).second) {
      return problem(fmt::format("the table [{}] is there twice: put its keys together", name));
    }
    table_ = name;
    return absl::OkStatus();
  }

  absl::Status read_pair() {
    TomlValue value{.value = {}, .line = line_, .column = column()};
    WB_ASSIGN(const std::string key, read_key());
    skip_spaces();
    if (peek() == '.') return problem("keys with dots are not used here: write a [table]");
    if (peek() != '=') return problem(fmt::format("expected = after the key \"{}\"", key));
    ++at_;
    skip_spaces();
    WB_TRY(read_value(value));
    if (!document_[table_].emplace(key, std::move(value)).second) {
      return problem(fmt::format("the key \"{}\" is there twice", key));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> read_key() {
    if (peek() == '"' || peek() == '\'') return read_string();
    const std::size_t start = at_;
    while (is_bare(peek())) ++at_;
    if (at_ == start) return problem("expected a key");
    return std::string(text_.substr(start, at_ - start));
  }

  absl::Status read_value(TomlValue& value) {
    if (peek() == '"' || peek() == '\'') {
      WB_ASSIGN(value.value, read_string());
      return absl::OkStatus();
    }
    const std::size_t start = at_;
    while (is_bare(peek()) || peek() == '+' || peek() == '.' || peek() == ':') ++at_;
    const std::string word(text_.substr(start, at_ - start));
    std::int64_t number = 0;
    if (word == "true" || word == "false") {
      value.value = word == "true";
      return absl::OkStatus();
    }
    if (is_integer(word) && absl::SimpleAtoi(word, &number)) {
      value.value = number;
      return absl::OkStatus();
    }
    at_ = start;
    return problem("expected a string in quotes, true, false or an integer");
  }

  // TOML has no leading zeros; SimpleAtoi takes them.
  static bool is_integer(std::string_view word) {
    if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
    const bool leading_zero = word.size() > 1 && word[0] == '0';
    return !word.empty() && !leading_zero && word.find_first_not_of("0123456789") == std::string_view::npos;
  }

  absl::StatusOr<std::string> read_string() {
    const char quote = peek();
    if (text_.substr(at_, 3) == std::string(3, quote))
      return problem("strings of several lines are not used here");
    ++at_;
    std::string out;
    while (peek() != quote) {
      if (at_ >= text_.size() || peek() == '\n') return problem("the string is not closed");
      if (static_cast<unsigned char>(peek()) < 0x20 && peek() != '\t') {
        return problem("the string has a control character: write it as \\uXXXX");
      }
      if (quote == '"' && peek() == '\\') {
        WB_TRY(read_escape(out));
      } else {
        out += text_[at_++];
      }
    }
    ++at_;
    return out;
  }

  absl::Status read_escape(std::string& out) {
    static constexpr std::string_view kLetters = "btnfr\"\\";
    static constexpr std::string_view kMeanings = "\b\t\n\f\r\"\\";
    const char letter = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    const std::size_t known = kLetters.find(letter);
    if (letter != '\0' && known != std::string_view::npos) {
      out += kMeanings[known];
      at_ += 2;
      return absl::OkStatus();
    }
    if (letter != 'u' && letter != 'U') return problem("the escape is unknown: \\\\ is a backslash");
    const std::size_t digits = letter == 'u' ? 4 : 8;
    const std::string hex(text_.substr(at_ + 2, digits));
    std::uint32_t code = 0;
    const bool is_hex =
        hex.size() == digits && hex.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
    const bool parsed = is_hex && absl::SimpleHexAtoi(hex, &code);
    if (!parsed || code == 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
      return problem("the escape is no character of Unicode");
    }
    append_utf8(code, out);
    at_ += 2 + digits;
    return absl::OkStatus();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
  std::string table_;
  TomlDocument document_;
};

}  // namespace

absl::StatusOr<TomlDocument> parse_toml(std::string_view text) {
  if (!is_clean_utf8(text)) return invalid("1:1: the file is not UTF-8");
  return TomlReader(text).read();
}

}  // namespace waybill::cli
