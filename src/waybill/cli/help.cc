#include "waybill/cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace waybill::cli {
namespace {

constexpr std::size_t kGap = 3;
constexpr std::size_t kLineWidth = 90;

struct Entry {
  std::string left;
  std::string right;
};

// Words of a paragraph (its line ends count as spaces) in lines that fit a terminal.
std::string wrapped(const std::string& paragraph) {
  std::string text;
  std::size_t column = 0;
  std::istringstream words(paragraph);
  for (std::string word; words >> word;) {
    const bool fits = column + 1 + word.size() <= kLineWidth;
    if (column > 0) text += fits ? ' ' : '\n';
    column = column > 0 && fits ? column + 1 + word.size() : word.size();
    text += word;
  }
  return text;
}

std::string entries_text(const std::vector<Entry>& entries) {
  std::size_t width = 0;
  for (const Entry& entry : entries) width = std::max(width, entry.left.size());
  std::string text;
  for (const Entry& entry : entries) {
    text += fmt::format("  {:<{}}{}\n", entry.left, width + kGap, entry.right);
  }
  return text;
}

std::string flags_text(const std::vector<Flag>& flags) {
  std::vector<Entry> entries;
  for (const Flag& flag : flags) entries.push_back({flag_spelling(flag), flag.help});
  return entries_text(entries);
}

std::string command_help(const Command& command) {
  std::string text = fmt::format("{}\n\nUsage: {}\n", command.summary, synopsis(command));
  if (!command.description.empty()) text += "\n" + wrapped(command.description) + "\n";
  if (!command.arguments.empty()) {
    std::vector<Entry> entries;
    for (const Argument& argument : command.arguments) entries.push_back({argument.name, argument.help});
    text += "\nArguments:\n" + entries_text(entries);
  }
  if (!command.flags.empty()) text += "\nFlags:\n" + flags_text(command.flags);
  if (command.is_client) text += "\nCommon flags:\n" + flags_text(common_flags());
  if (!command.examples.empty()) text += "\nExamples:\n";
  for (const Example& example : command.examples) {
    text += fmt::format("  # {}\n  {}\n", example.what, example.line);
  }
  return text;
}

// The next words that may follow the path, each once, with what they do.
std::vector<Entry> next_words(const CommandTree& tree, const std::vector<std::string>& path) {
  std::vector<Entry> entries;
  for (const Command* command : tree.below(path)) {
    if (command->hidden) continue;
    const std::string& word = command->path[path.size()];
    const bool is_group = command->path.size() > path.size() + 1;
    if (!entries.empty() && entries.back().left == word) continue;
    const Group* group = is_group ? tree.group(word) : nullptr;
    entries.push_back({word, is_group ? (group != nullptr ? group->summary : "") : command->summary});
  }
  return entries;
}

}  // namespace

std::string flag_spelling(const Flag& flag) {
  std::string text = flag.letter != 0 ? fmt::format("-{}, ", flag.letter) : "    ";
  text += "--" + flag.name;
  if (!flag.value.empty()) text += " " + flag.value + (flag.repeats ? "..." : "");
  return text;
}

std::string synopsis(const Command& command) {
  std::string text = "waybill " + command.name();
  for (const Argument& argument : command.arguments) {
    const std::string word = argument.name + (argument.repeats ? "..." : "");
    text += argument.required ? " " + word : " [" + word + "]";
  }
  if (!command.flags.empty() || command.is_client) text += " [flags]";
  return text;
}

std::string help_text(const CommandTree& tree, const std::vector<std::string>& path) {
  const std::vector<const Command*> found = tree.below(path);
  if (found.size() == 1 && found.front()->path == path) return command_help(*found.front());
  std::string text;
  if (path.empty()) {
    text =
        "Waybill runs jobs on clusters and keeps the history of every run.\n\nUsage: waybill COMMAND "
        "[flags]\n";
  } else {
    const Group* group = tree.group(path.front());
    text = fmt::format("{}\n\nUsage: waybill {} COMMAND [flags]\n", group != nullptr ? group->summary : "",
                       path.front());
  }
  text += "\nCommands:\n" + entries_text(next_words(tree, path));
  if (path.empty())
    text += "\nCommon flags of the commands that speak to a server:\n" + flags_text(common_flags());
  const std::string words = path.empty() ? "" : path.front() + " ";
  text += fmt::format("\nExamples of a command: waybill {}COMMAND --help\n", words);
  return text;
}

}  // namespace waybill::cli
