#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

// Text from a server on its way to a terminal.
namespace waybill::cli {

// One character of UTF-8 at `at`, which moves behind it; nullopt (and one byte further) where it is
// malformed.
[[nodiscard]] std::optional<char32_t> next_character(std::string_view text, std::size_t& at);

// Whether a terminal would act on it instead of showing it: C0, DEL, C1 and the characters that change the
// direction of writing.
[[nodiscard]] bool is_control(char32_t character);

// Nothing of it acts on a terminal: controls become \n, \t, \x1b, \u202e, malformed bytes \xff.
[[nodiscard]] std::string made_visible(std::string_view text);

// Valid JSON stays the same value: controls inside it become \u009b.
[[nodiscard]] std::string json_for_terminal(std::string_view json);

// Columns on the terminal, wide characters counted twice and combining ones not at all. `text` is visible.
[[nodiscard]] int display_width(std::string_view text);

// At most so many columns; what is cut off is shown by an ellipsis.
[[nodiscard]] std::string cut_to(std::string_view text, int columns);

// A log on a terminal: colours (SGR) pass, every other escape sequence and control character is dropped.
class LogFilter {
 public:
  // May be called with any pieces of the stream; keeps what it can't decide yet.
  [[nodiscard]] std::string pass(std::string_view bytes);
  // Whether a colour may still be on.
  [[nodiscard]] bool coloured() const { return coloured_; }

 private:
  enum class State { kText, kEscape, kSequence, kString, kStringEscape };
  void take(char byte, std::string& out);
  void take_text(unsigned char byte, std::string& out);
  void end_sequence(char final_byte, std::string& out);

  State state_ = State::kText;
  std::string sequence_;   // parameters of an unfinished CSI
  std::string character_;  // an unfinished character of UTF-8
  bool coloured_ = false;
};

}  // namespace waybill::cli
