#include "waybill/cli/text.h"

#include <fmt/format.h>
#include <locale.h>
#include <wchar.h>

#include <algorithm>

namespace waybill::cli {
namespace {

constexpr std::size_t kLongestSequence = 64;  // a colour has fewer parameters

// Makes wcwidth() know Unicode on this thread, whatever the user's locale is.
class UnicodeWidths {
 public:
  UnicodeWidths() : locale_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (locale_ != nullptr) before_ = uselocale(locale_);
  }
  ~UnicodeWidths() {
    if (locale_ == nullptr) return;
    uselocale(before_);
    freelocale(locale_);
  }
  UnicodeWidths(const UnicodeWidths&) = delete;
  UnicodeWidths& operator=(const UnicodeWidths&) = delete;

  [[nodiscard]] static int of(char32_t character) {
    const int width = wcwidth(static_cast<wchar_t>(character));
    return width < 0 ? 1 : width;
  }

 private:
  locale_t locale_ = nullptr;
  locale_t before_ = nullptr;
};

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

std::string visible_control(char32_t character) {
  if (character == '\n') return "\\n";
  if (character == '\t') return "\\t";
  if (character == '\r') return "\\r";
  const auto number = static_cast<unsigned>(character);
  return number < 0x80 ? fmt::format("\\x{:02x}", number) : fmt::format("\\u{:04x}", number);
}

}  // namespace

std::optional<char32_t> next_character(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  const std::size_t start = at++;
  if (first < 0x80) return first;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || start + length > text.size()) return std::nullopt;
  char32_t character = first & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(start + i) & 0xc0U) != 0x80) return std::nullopt;
    character = (character << 6U) | (byte(start + i) & 0x3fU);
  }
  const bool overlong = (length == 3 && character < 0x800) || (length == 4 && character < 0x10000);
  const bool surrogate = character >= 0xd800 && character <= 0xdfff;
  if (overlong || surrogate || character > 0x10ffff) return std::nullopt;
  at = start + length;
  return character;
}

bool is_control(char32_t character) {
  if (character < 0x20 || (character >= 0x7f && character <= 0x9f)) return true;
  const bool direction = (character >= 0x202a && character <= 0x202e) ||
                         (character >= 0x2066 && character <= 0x2069) || character == 0x200e ||
                         character == 0x200f || character == 0x061c;
  return direction || character == 0x2028 || character == 0x2029;
}

std::string made_visible(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t start = at;
    const std::optional<char32_t> character = next_character(text, at);
    if (!character) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(text[start])));
    } else if (is_control(*character)) {
      out += visible_control(*character);
    } else {
      out += text.substr(start, at - start);
    }
  }
  return out;
}

std::string json_for_terminal(std::string_view json) {
  std::string out;
  std::size_t at = 0;
  while (at < json.size()) {
    const std::size_t start = at;
    const std::optional<char32_t> character = next_character(json, at);
    const bool space = character == U'\n' || character == U'\t' || character == U'\r';
    if (character && is_control(*character) && !space) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(*character));
    } else if (character) {
      out += json.substr(start, at - start);
    } else {
      out += "\\ufffd";
    }
  }
  return out;
}

int display_width(std::string_view text) {
  if (is_plain(text)) return static_cast<int>(text.size());
  const UnicodeWidths widths;
  int width = 0;
  std::size_t at = 0;
  while (at < text.size()) width += UnicodeWidths::of(next_character(text, at).value_or(U'?'));
  return width;
}

std::string cut_to(std::string_view text, int columns) {
  if (columns <= 0) return "";
  if (display_width(text) <= columns) return std::string(text);
  const UnicodeWidths widths;
  int width = 0;
  std::size_t at = 0;
  std::size_t end = 0;
  while (at < text.size()) {
    width += UnicodeWidths::of(next_character(text, at).value_or(U'?'));
    if (width > columns - 1) break;
    end = at;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string LogFilter::pass(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (const char byte : bytes) take(byte, out);
  return out;
}

void LogFilter::take(char byte, std::string& out) {
  const auto code = static_cast<unsigned char>(byte);
  switch (state_) {
    case State::kText:
      take_text(code, out);
      return;
    case State::kEscape:
      sequence_.clear();
      if (byte == '[') {
        state_ = State::kSequence;
      } else if (byte == ']' || byte == 'P' || byte == '_' || byte == '^' || byte == 'X') {
        state_ = State::kString;
      } else if (code < 0x20 ||
                 code > 0x2f) {  // 0x20-0x2f: intermediate bytes, the final one is still to come
        state_ = State::kText;
      }
      return;
    case State::kSequence:
      if (code >= 0x40 && code <= 0x7e) {
        end_sequence(byte, out);
      } else if (code < 0x20 || code > 0x7e) {  // broken off
        state_ = State::kText;
        take_text(code, out);
      } else if (sequence_.size() < kLongestSequence) {
        sequence_ += byte;
      }
      return;
    case State::kString:  // ends with BEL or ESC \; a line's end also ends one that was broken off
      if (byte == '\x1b') state_ = State::kStringEscape;
      if (byte == '\a' || byte == '\n') state_ = State::kText;
      if (byte == '\n') out += byte;
      return;
    case State::kStringEscape:
      state_ = State::kText;
      return;
  }
}

void LogFilter::end_sequence(char final_byte, std::string& out) {
  state_ = State::kText;
  const bool only_numbers = std::all_of(sequence_.begin(), sequence_.end(), [](char c) {
    return (c >= '0' && c <= '9') || c == ';' || c == ':';
  });
  if (final_byte != 'm' || !only_numbers || sequence_.size() >= kLongestSequence) return;
  out += "\x1b[" + sequence_ + "m";
  coloured_ = !(sequence_.empty() || sequence_ == "0");
}

void LogFilter::take_text(unsigned char byte, std::string& out) {
  if (byte < 0x80) {
    character_.clear();  // an unfinished one before it was malformed
    if (byte == 0x1b) {
      state_ = State::kEscape;
    } else if (byte == '\n' || byte == '\t' || byte == '\r' || (byte >= 0x20 && byte != 0x7f)) {
      out += static_cast<char>(byte);
    }
    return;
  }
  if (byte >= 0xc0) character_.clear();
  if (byte < 0xc0 && character_.empty()) return;
  character_ += static_cast<char>(byte);
  std::size_t at = 0;
  const std::optional<char32_t> character = next_character(character_, at);
  if (character) {
    if (!is_control(*character)) out += character_;
    character_.clear();
  } else if (character_.size() >= 4) {
    character_.clear();
  }
}

}  // namespace waybill::cli
