#include "waybill/cli/parse.h"

#include <absl/strings/numbers.h>
#include <absl/time/time.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>

#include "waybill/base/status.h"
#include "waybill/base/time.h"
#include "waybill/cli/failure.h"
#include "waybill/cli/suggest.h"

namespace waybill::cli {
namespace {

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

std::string help_hint(const std::vector<std::string>& path) {
  return path.empty() ? "see waybill --help" : fmt::format("see waybill {} --help", joined(path));
}

std::string meant_hint(const std::string& nearest_word, std::string_view prefix,
                       const std::vector<std::string>& path) {
  if (nearest_word.empty()) return help_hint(path);
  return fmt::format("did you mean {}{}?", prefix, nearest_word);
}

absl::Status check_value(ValueType type, const std::vector<std::string>& choices, const std::string& what,
                         const std::string& value) {
  if (!choices.empty() && std::find(choices.begin(), choices.end(), value) == choices.end()) {
    return usage_error(fmt::format("{}: \"{}\" is none of {}", what, value, fmt::join(choices, ", ")),
                       meant_hint(nearest(value, choices), "", {}));
  }
  std::int64_t number = 0;
  const bool is_duration = parse_duration(value).ok();
  switch (type) {
    case ValueType::kNumber:
      if (absl::SimpleAtoi(value, &number)) return absl::OkStatus();
      return usage_error(fmt::format("{}: \"{}\" is not a whole number", what, value));
    case ValueType::kDuration:
      if (is_duration) return absl::OkStatus();
      return usage_error(fmt::format("{}: \"{}\" is not a duration such as 90s, 5m, 2h or 1d", what, value));
    case ValueType::kTime:
      if (is_duration || parse_time(value).ok()) return absl::OkStatus();
      return usage_error(fmt::format(
          "{}: \"{}\" is not a time such as 2026-07-01T12:00:00Z, 2026-07-01, or 2h (ago)", what, value));
    case ValueType::kText:
    case ValueType::kFile:
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

// Reads one line, word by word.
class LineReader {
 public:
  LineReader(const CommandTree& tree, std::vector<std::string> args)
      : tree_(tree), words_(args.begin(), args.end()) {}

  absl::StatusOr<Parsed> read() {
    while (!words_.empty()) {
      const std::string word = take();
      if (!only_values_ && word == "--") {
        only_values_ = true;
      } else if (!only_values_ && (word == "--help" || word == "-h")) {
        wants_help_ = true;
      } else if (!only_values_ && word.starts_with("--")) {
        WB_TRY(read_long(word.substr(2)));
      } else if (!only_values_ && word.size() > 1 && word[0] == '-') {
        WB_TRY(read_short(word.substr(1)));
      } else {
        WB_TRY(read_plain(word));
      }
      if (wants_help_ && command_ != nullptr) break;
    }
    return finish();
  }

 private:
  std::string take() {
    std::string word = std::move(words_.front());
    words_.pop_front();
    return word;
  }

  absl::Status read_plain(const std::string& word) {
    if (command_ != nullptr) return read_argument(word);
    if (path_.empty() && word == "help") {
      wants_help_ = true;
      return absl::OkStatus();
    }
    path_.push_back(word);
    const std::vector<const Command*> found = tree_.below(path_);
    if (found.empty()) return unknown_command();
    if (found.front()->path.size() == path_.size()) command_ = found.front();
    return absl::OkStatus();
  }

  absl::Status unknown_command() {
    const std::string typed = path_.back();
    path_.pop_back();
    std::vector<std::string> known;
    for (const Command* command : tree_.below(path_)) {
      if (!command->hidden) known.push_back(command->path[path_.size()]);
    }
    const std::string before = path_.empty() ? "" : joined(path_) + " ";
    return usage_error(fmt::format("\"{}{}\" is not a command", before, typed),
                       meant_hint(nearest(typed, known), "waybill " + before, path_));
  }

  absl::Status read_argument(const std::string& word) {
    const std::vector<Argument>& declared = command_->arguments;
    if (argument_ >= declared.size()) {
      return usage_error(fmt::format("\"{}\" is one word too many for {}", word, command_->name()),
                         help_hint(path_));
    }
    const Argument& argument = declared[argument_];
    if (!argument.repeats) ++argument_;
    if (word.empty()) {
      return usage_error(
          fmt::format("{} wants {} ({}), and it is empty", command_->name(), argument.name, argument.help),
          help_hint(path_));
    }
    WB_TRY(check_value(argument.type, argument.choices, argument.name, word));
    invocation_.add(argument.name, word);
    return absl::OkStatus();
  }

  [[nodiscard]] std::vector<const Flag*> flags() const {
    std::vector<const Flag*> known;
    if (command_ != nullptr) {
      for (const Flag& flag : command_->flags) known.push_back(&flag);
    }
    if (command_ == nullptr || command_->is_client) {
      for (const Flag& flag : common_flags()) known.push_back(&flag);
    }
    return known;
  }

  absl::Status read_long(const std::string& text) {
    const std::size_t equals = text.find('=');
    std::optional<std::string> value;
    if (equals != std::string::npos) value = text.substr(equals + 1);
    std::string name = text.substr(0, equals);
    std::replace(name.begin(), name.end(), '_', '-');
    std::vector<std::string> names = {"help"};
    for (const Flag* flag : flags()) {
      if (flag->name == name) return read_flag(*flag, "--" + name, std::move(value));
      names.push_back(flag->name);
    }
    if (path_.empty() && name == "version") return read_plain("version");
    return usage_error(
        fmt::format("--{} is not a flag of {}", name, path_.empty() ? std::string("waybill") : joined(path_)),
        meant_hint(nearest(name, names), "--", path_));
  }

  absl::Status read_short(std::string letters) {
    while (!letters.empty()) {
      const char letter = letters.front();
      letters.erase(0, 1);
      const std::vector<const Flag*> known = flags();
      const auto flag =
          std::find_if(known.begin(), known.end(), [&](const Flag* f) { return f->letter == letter; });
      if (flag == known.end()) {
        return usage_error(fmt::format("-{} is not a flag of {}", letter,
                                       path_.empty() ? std::string("waybill") : joined(path_)),
                           help_hint(path_));
      }
      if ((*flag)->value.empty() || letters.empty()) {
        WB_TRY(read_flag(**flag, fmt::format("-{}", letter), std::nullopt));
        continue;
      }
      if (letters.front() == '=') letters.erase(0, 1);
      return read_flag(**flag, fmt::format("-{}", letter), letters);
    }
    return absl::OkStatus();
  }

  absl::Status read_flag(const Flag& flag, const std::string& typed, std::optional<std::string> value) {
    if (flag.value.empty()) {
      if (value) return usage_error(fmt::format("{} takes no value", typed), help_hint(path_));
      invocation_.add(flag.name, "true");
      return absl::OkStatus();
    }
    if (!value) {
      if (words_.empty()) {
        return usage_error(fmt::format("{} wants a value: {} {}", typed, typed, flag.value),
                           help_hint(path_));
      }
      value = take();
    }
    WB_TRY(check_value(flag.type, flag.choices, typed, *value));
    invocation_.add(flag.name, *std::move(value));
    const bool takes_more = flag.repeats && command_ != nullptr && command_->arguments.empty();
    while (takes_more && !words_.empty() && !words_.front().starts_with("-")) {
      WB_TRY(check_value(flag.type, flag.choices, typed, words_.front()));
      invocation_.add(flag.name, take());
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Parsed> finish() {
    if (wants_help_) return Parsed{.command = nullptr, .path = path_, .invocation = {}};
    if (command_ == nullptr) return missing_command();
    if (!command_->is_client) {
      for (const Flag& flag : common_flags()) {
        const bool own = std::any_of(command_->flags.begin(), command_->flags.end(),
                                     [&](const Flag& f) { return f.name == flag.name; });
        if (!own && invocation_.has(flag.name)) {
          return usage_error(fmt::format("--{} is not a flag of {}, which runs on this machine", flag.name,
                                         command_->name()),
                             help_hint(path_));
        }
      }
    }
    for (const Argument& argument : command_->arguments) {
      if (argument.required && !invocation_.has(argument.name)) {
        return usage_error(fmt::format("{} wants {} ({})", command_->name(), argument.name, argument.help),
                           help_hint(path_));
      }
    }
    return Parsed{.command = command_, .path = path_, .invocation = std::move(invocation_)};
  }

  absl::Status missing_command() {
    std::vector<std::string> known;
    for (const Command* command : tree_.below(path_)) {
      const std::string& word = command->path[path_.size()];
      if (!command->hidden && std::find(known.begin(), known.end(), word) == known.end())
        known.push_back(word);
    }
    const std::string before = path_.empty() ? "waybill" : joined(path_);
    return usage_error(fmt::format("{} wants a command: {}", before, fmt::join(known, ", ")),
                       help_hint(path_));
  }

  const CommandTree& tree_;
  std::deque<std::string> words_;
  std::vector<std::string> path_;
  const Command* command_ = nullptr;
  std::size_t argument_ = 0;
  bool only_values_ = false;
  bool wants_help_ = false;
  Invocation invocation_;
};

}  // namespace

absl::StatusOr<Parsed> parse(const CommandTree& tree, std::vector<std::string> args) {
  return LineReader(tree, std::move(args)).read();
}

}  // namespace waybill::cli
