#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "waybill/template/functions/functions.h"
#include "waybill/template/functions/regex_pattern.h"
#include "waybill/template/quoting.h"

// regexReplaceAll: Go's regexp, which RE2 shares all but a few corners with.
namespace waybill::gotemplate::functions {
namespace {

// A text as RE2 must see it: Go matches a byte that is no UTF-8 like U+FFFD, RE2 doesn't match it at all.
class Subject {
 public:
  explicit Subject(std::string_view original) : original_(original), shown_(original) {
    std::string_view rest = original;
    while (!rest.empty()) {
      const Decoded decoded = decode_rune(rest);
      if (decoded.broken()) {
        mend();
        return;
      }
      rest.remove_prefix(decoded.width);
    }
  }

  [[nodiscard]] std::string_view shown() const { return shown_; }
  // The part of the original that shows as [from, to).
  [[nodiscard]] std::string_view original(std::size_t from, std::size_t to) const {
    if (places_.empty()) return original_.substr(from, to - from);
    return original_.substr(places_[from], places_[to] - places_[from]);
  }

 private:
  void mend() {
    for (std::size_t at = 0; at < original_.size();) {
      const Decoded decoded = decode_rune(original_.substr(at));
      append_rune(mended_, decoded.rune);
      places_.resize(mended_.size(), at);
      at += decoded.width;
    }
    places_.push_back(original_.size());
    shown_ = mended_;
  }

  std::string_view original_;
  std::string_view shown_;
  std::string mended_;
  std::vector<std::size_t> places_;  // byte shown -> byte of the original
};

// The template of a replacement, cut at its $1, ${1}, $name and ${name}.
class Replacement {
 public:
  Replacement(std::string_view text, const std::vector<std::string>& names);

  struct Part {
    std::string_view text;
    std::optional<std::size_t> group;  // otherwise `text`; beyond the last group: nothing
  };
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  // How many groups, the whole match among them, a match must tell of `all`.
  [[nodiscard]] std::size_t groups_of(std::size_t all) const;

 private:
  struct Name {
    std::string_view text;
    std::size_t length = 0;  // with braces
  };
  static std::optional<Name> name_at(std::string_view text);
  static std::size_t group_of(std::string_view name, const std::vector<std::string>& names);

  std::vector<Part> parts_;
};

constexpr std::size_t kNoGroup = static_cast<std::size_t>(-1);

std::optional<Replacement::Name> Replacement::name_at(std::string_view text) {
  const std::size_t brace = text.starts_with('{') ? 1 : 0;
  std::size_t end = brace;
  while (end < text.size()) {
    const Decoded decoded = decode_rune(text.substr(end));
    if (!is_letter_or_digit(decoded.rune) && decoded.rune != '_') break;
    end += decoded.width;
  }
  if (end == brace) return std::nullopt;
  const std::string_view name = text.substr(brace, end - brace);
  if (brace == 1 && (end >= text.size() || text[end] != '}')) return std::nullopt;
  return Name{name, end + brace};
}

// A name of digits alone is a number; a longer one than 0 must not begin with 0.
std::size_t Replacement::group_of(std::string_view name, const std::vector<std::string>& names) {
  const bool digits = std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (digits && (name == "0" || name[0] != '0') && name.size() < 9) {
    std::size_t number = 0;
    std::from_chars(name.data(), name.data() + name.size(), number);
    return number;
  }
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? kNoGroup : static_cast<std::size_t>(found - names.begin());
}

Replacement::Replacement(std::string_view text, const std::vector<std::string>& names) {
  for (;;) {
    const std::size_t dollar = text.find('$');
    if (dollar == std::string_view::npos) break;
    if (dollar > 0) parts_.push_back({text.substr(0, dollar), std::nullopt});
    const std::string_view sign = text.substr(dollar, 1);
    text.remove_prefix(dollar + 1);
    if (text.starts_with('$')) {
      parts_.push_back({sign, std::nullopt});
      text.remove_prefix(1);
    } else if (const auto name = name_at(text)) {
      parts_.push_back({{}, group_of(name->text, names)});
      text.remove_prefix(name->length);
    } else {
      parts_.push_back({sign, std::nullopt});
    }
  }
  if (!text.empty()) parts_.push_back({text, std::nullopt});
}

std::size_t Replacement::groups_of(std::size_t all) const {
  std::size_t count = 1;
  for (const Part& part : parts_) {
    if (part.group && *part.group < all) count = std::max(count, *part.group + 1);
  }
  return count;
}

// Instructions that a byte may cost, in units of the workspace. Up to kSmall instructions RE2's automaton
// stays small enough for its memory (measured: it gives up from 21 on); then it looks at each byte once.
// Beyond, a hostile text makes it try each instruction at each byte.
std::size_t search_cost(const RE2& regex, std::size_t bytes) {
  constexpr std::size_t kSmall = 20;
  constexpr std::size_t kPerUnit = 4;
  const auto program = static_cast<std::size_t>(std::max(1, regex.ProgramSize()));
  return 64 + (bytes + 16) * (program <= kSmall ? 2 : program) / kPerUnit;
}

// What finding groups of a match costs over finding the match.
std::size_t groups_cost(const RE2& regex, std::size_t groups, std::size_t bytes) {
  return groups < 2 ? 0 : bytes * static_cast<std::size_t>(std::max(1, regex.ProgramSize())) / 4;
}

// Go's way through a text: the match of an empty string right behind another match counts for nothing.
class Replacer {
 public:
  Replacer(const RE2& regex, std::string_view text, const Replacement& replacement)
      : regex_(regex), subject_(text), replacement_(replacement) {}

  void run(Workspace& work, Sink& sink);

 private:
  void append_replacement(Sink& sink, const std::vector<re2::StringPiece>& groups) const;
  [[nodiscard]] std::size_t place(const re2::StringPiece& group) const {
    return static_cast<std::size_t>(group.data() - subject_.shown().data());
  }

  const RE2& regex_;
  Subject subject_;
  const Replacement& replacement_;
};

void Replacer::run(Workspace& work, Sink& sink) {
  const std::string_view text = subject_.shown();
  const re2::StringPiece piece(text.data(), text.size());
  // Finding groups costs far more than finding the match: only those that are asked for.
  const auto all = static_cast<std::size_t>(regex_.NumberOfCapturingGroups()) + 1;
  std::vector<re2::StringPiece> groups(replacement_.groups_of(all));
  std::size_t done = 0;  // what stands before is written
  std::size_t search = 0;
  while (search <= text.size()) {
    work.charge(search_cost(regex_, text.size() - search));
    if (!regex_.Match(piece, search, text.size(), RE2::UNANCHORED, groups.data(),
                      static_cast<int>(groups.size()))) {
      break;
    }
    const std::size_t from = place(groups[0]);
    const std::size_t to = from + groups[0].size();
    work.charge(groups_cost(regex_, groups.size(), to - from));
    sink.append(subject_.original(done, from));
    if (to > done || from == 0) append_replacement(sink, groups);
    done = to;
    const std::size_t width = decode_rune(text.substr(search)).width;
    if (search + std::max<std::size_t>(width, 1) > to) {
      search += std::max<std::size_t>(width, 1);
    } else {
      search = to;
    }
  }
  sink.append(subject_.original(done, text.size()));
}

void Replacer::append_replacement(Sink& sink, const std::vector<re2::StringPiece>& groups) const {
  for (const Replacement::Part& part : replacement_.parts()) {
    if (!part.group) {
      sink.append(part.text);
    } else if (*part.group < groups.size() && groups[*part.group].data() != nullptr) {
      const std::size_t from = place(groups[*part.group]);
      sink.append(subject_.original(from, from + groups[*part.group].size()));
    }
  }
}

}  // namespace

Value regex_replace_all(Workspace& work, Arguments arguments) {
  const std::string_view source = arguments[0].string();
  const std::string_view text = arguments[1].string();
  // What a byte of a pattern, or an instruction of its program, costs over a byte of a text.
  constexpr std::size_t kCompile = 64;
  work.charge(4096 + source.size() * kCompile + text.size() * 4 + arguments[2].size);
  const RegexPattern pattern = compile_pattern(source);
  if (!pattern.regex) {
    const std::string shown = can_backquote(source) ? fmt::format("`{}`", source) : quoted(source);
    throw FunctionError{fmt::format("regexp: Compile({}): error parsing regexp: {}", shown, pattern.mistake)};
  }
  // Counted repetitions make a long program of a short pattern.
  work.charge(static_cast<std::size_t>(pattern.regex->ProgramSize()) * kCompile);
  const Replacement replacement(arguments[2].string(), pattern.names);
  Sink sink = work.start();
  Replacer(*pattern.regex, text, replacement).run(work, sink);
  return Value::of(work.take());
}

}  // namespace waybill::gotemplate::functions
