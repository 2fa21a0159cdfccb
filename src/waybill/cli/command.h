#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The command tree as data. Parsing, --help, completion and the man pages all come from these declarations.
namespace waybill::cli {

struct Environment;

// What a value must look like; checked before the command runs (exit 2 where it does not fit).
enum class ValueType {
  kText,
  kNumber,    // an integer
  kDuration,  // 90s, 5m, 2h, 1d
  kTime,      // RFC 3339, a date, unix seconds, or a duration: that long ago
  kFile       // a path; completed as one
};

struct Flag {
  std::string name;        // long name without dashes, words joined by '-'
  char letter = 0;         // short name; 0: none
  std::string value = {};  // what stands for its value in help ("CRIT"); empty: a switch
  std::string help = {};
  ValueType type = ValueType::kText;
  // May be given again. In a command without arguments it also takes several values at once.
  bool repeats = false;
  std::vector<std::string> choices = {};  // all the values there are; empty: any
};

struct Argument {
  std::string name;  // "ID"
  std::string help = {};
  bool required = true;
  bool repeats = false;
  ValueType type = ValueType::kText;
  std::vector<std::string> choices = {};
};

struct Example {
  std::string line;  // what to type
  std::string what;  // what it does
};

// What was typed: values by flag name and argument name.
class Invocation {
 public:
  void add(const std::string& name, std::string value) { values_[name].push_back(std::move(value)); }
  [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }
  // The last value; nullopt if it was not given.
  [[nodiscard]] std::optional<std::string> find(const std::string& name) const;
  [[nodiscard]] std::string text(const std::string& name, std::string_view fallback = "") const;
  [[nodiscard]] std::int64_t number(const std::string& name, std::int64_t fallback) const;  // already checked
  [[nodiscard]] const std::vector<std::string>& all(const std::string& name) const;

 private:
  std::map<std::string, std::vector<std::string>> values_;
};

struct Command {
  std::vector<std::string> path;  // {"config", "check"}
  std::string summary;            // one line, lower case, no full stop
  std::string description;        // paragraphs for --help and man; may be empty
  std::vector<Argument> arguments = {};
  std::vector<Flag> flags = {};
  std::vector<Example> examples = {};
  // Returns the exit code. Whether something is a client of REST decides if the common flags (--url, -o, …)
  // are taken.
  std::function<int(const Invocation&, Environment&)> run = {};
  bool is_client = false;
  bool hidden = false;

  [[nodiscard]] std::string name() const;  // "config check"
};

// A word that only holds commands ("list").
struct Group {
  std::string name;
  std::string summary;
};

struct CommandTree {
  std::vector<Group> groups;
  std::vector<Command> commands;

  [[nodiscard]] const Group* group(std::string_view name) const;
  // Commands whose path begins with these words.
  [[nodiscard]] std::vector<const Command*> below(const std::vector<std::string>& path) const;
};

// Taken by every client command.
[[nodiscard]] const std::vector<Flag>& common_flags();

}  // namespace waybill::cli
