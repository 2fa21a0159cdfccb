#include "waybill/plugins/shell/output_file.h"

#include <optional>

#include "waybill/base/utf8.h"

namespace waybill::plugins {
namespace {

constexpr std::size_t kNotes = 20;
constexpr std::string_view kFirst = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
constexpr std::string_view kLater = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789.-";

bool is_key(std::string_view text) {
  return !text.empty() && kFirst.find(text[0]) != std::string_view::npos &&
         text.find_first_not_of(kLater) == std::string_view::npos;
}

// Cut to what fits a note, without bytes that a terminal would obey.
std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 40)) out += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > 40 ? out + "..." : out;
}

class OutputParser {
 public:
  OutputParser(std::string_view text, bool ended) : rest_(text), ended_(ended) {}

  ParsedOutputs parse() {
    while (const std::optional<std::string_view> line = next_line()) take(*line);
    return std::move(out_);
  }

 private:
  std::optional<std::string_view> next_line() {
    if (rest_.empty()) return std::nullopt;
    std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) {
      if (!ended_) return std::nullopt;
      end = rest_.size();
    }
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end < rest_.size() ? end + 1 : end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number_;
    return line;
  }

  void take(std::string_view line) {
    if (line.find_first_not_of(" \t") == std::string_view::npos) return;
    const std::size_t equals = line.find('=');
    const std::size_t arrows = line.find("<<");
    if (arrows < equals) return take_block(line.substr(0, arrows), line.substr(arrows + 2));
    if (equals == std::string_view::npos)
      return note(number_, "\"" + shown(line) + "\" is neither key=value nor key<<MARK");
    store(number_, line.substr(0, equals), line.substr(equals + 1));
  }

  void take_block(std::string_view key, std::string_view mark) {
    const std::size_t first = number_;
    std::string value;
    bool is_first = true;
    while (const std::optional<std::string_view> line = next_line()) {
      if (*line == mark) return store(first, key, value);
      if (!is_first) value += '\n';
      is_first = false;
      // Beyond the limit only the size counts, for the note.
      if (value.size() <= kOutputValueBytes) value += *line;
    }
    if (ended_)
      note(first, "\"" + shown(key) + "<<" + shown(mark) + "\" has no line \"" + shown(mark) + "\" after it");
  }

  void store(std::size_t line, std::string_view key, std::string_view value) {
    if (!is_key(key))
      return note(line, "\"" + shown(key) +
                            "\" is not a key: use letters, digits and _ . -, beginning with a letter or _");
    if (value.size() > kOutputValueBytes)
      return note(line, "the value of \"" + shown(key) + "\" is longer than " +
                            std::to_string(kOutputValueBytes) + " bytes");
    if (!is_clean_utf8(value)) return note(line, "the value of \"" + shown(key) + "\" is not UTF-8 text");
    const std::string name(key);
    if (out_.values.size() >= kOutputKeys && !out_.values.contains(name))
      return note(line,
                  "\"" + shown(key) + "\" is one key too many: there may be " + std::to_string(kOutputKeys));
    out_.values[name] = std::string(value);
  }

  void note(std::size_t line, const std::string& what) {
    if (out_.notes.size() < kNotes) out_.notes.push_back("line " + std::to_string(line) + ": " + what);
  }

  std::string_view rest_;
  bool ended_;
  std::size_t number_ = 0;
  ParsedOutputs out_;
};

}  // namespace

ParsedOutputs parse_outputs(std::string_view text, bool ended) { return OutputParser(text, ended).parse(); }

}  // namespace waybill::plugins
