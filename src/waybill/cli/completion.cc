#include "waybill/cli/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace waybill::cli {
namespace {

// All that may follow one path ("", "list", "list jobs").
struct Place {
  std::string path;
  std::vector<std::pair<std::string, std::string>>
      words;  // next commands and choices of arguments, with help
  std::vector<Flag> flags;
  bool takes_files = false;
};

void add_word(Place& place, const std::string& word, const std::string& help) {
  const bool known =
      std::any_of(place.words.begin(), place.words.end(), [&](const auto& w) { return w.first == word; });
  if (!known) place.words.emplace_back(word, help);
}

std::vector<Place> places(const CommandTree& tree) {
  std::vector<Place> found = {{.path = "", .words = {}, .flags = {}}};
  const auto place_at = [&](const std::string& path) -> Place& {
    const auto at = std::find_if(found.begin(), found.end(), [&](const Place& p) { return p.path == path; });
    if (at != found.end()) return *at;
    return found.emplace_back(Place{.path = path, .words = {}, .flags = {}});
  };
  for (const Command& command : tree.commands) {
    if (command.hidden) continue;
    std::string path;
    for (std::size_t i = 0; i < command.path.size(); ++i) {
      const bool last = i + 1 == command.path.size();
      const Group* group = last ? nullptr : tree.group(command.path[i]);
      add_word(place_at(path), command.path[i],
               last               ? command.summary
               : group != nullptr ? group->summary
                                  : "");
      path += path.empty() ? command.path[i] : " " + command.path[i];
    }
    Place& place = place_at(path);
    place.flags = command.flags;
    if (command.is_client)
      place.flags.insert(place.flags.end(), common_flags().begin(), common_flags().end());
    place.flags.push_back({.name = "help", .letter = 'h', .help = "show help"});
    for (const Argument& argument : command.arguments) {
      for (const std::string& choice : argument.choices) add_word(place, choice, argument.help);
      place.takes_files = place.takes_files || argument.type == ValueType::kFile;
    }
  }
  return found;
}

std::string single_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::vector<std::string> spellings(const Flag& flag) {
  std::vector<std::string> words = {"--" + flag.name};
  if (flag.letter != 0) words.push_back(fmt::format("-{}", flag.letter));
  return words;
}

// What fish and zsh show behind a word must not end their own syntax.
std::string described(std::string text) {
  for (char& c : text) {
    if (c == '[' || c == '(') c = '(';
    if (c == ']') c = ')';
    if (c == '\n') c = ' ';
  }
  return text;
}

// zsh takes a bare colon for the end of a part.
std::string described_for_zsh(const std::string& text) {
  std::string out;
  for (const char c : described(text)) out += c == ':' ? std::string("\\:") : std::string(1, c);
  return out;
}

std::string choices_of(const Flag& flag) { return fmt::format("{}", fmt::join(flag.choices, " ")); }

}  // namespace

std::string bash_completion(const CommandTree& tree) {
  std::string words;
  std::string values;
  for (const Place& place : places(tree)) {
    std::vector<std::string> next;
    for (const auto& [word, help] : place.words) next.push_back(word);
    std::vector<std::string> flags;
    for (const Flag& flag : place.flags) {
      flags.push_back("--" + flag.name);
      if (flag.value.empty()) continue;
      std::vector<std::string> patterns;
      for (const std::string& spelling : spellings(flag)) {
        patterns.push_back(single_quoted(place.path + " " + spelling));
      }
      const std::string kind = flag.type == ValueType::kFile ? "@file" : choices_of(flag);
      values += fmt::format("    {}) takes=1 choices={} ;;\n", fmt::join(patterns, "|"), single_quoted(kind));
    }
    if (place.takes_files) next.emplace_back("@file");
    words += fmt::format("    {}) words={} flags={} ;;\n", single_quoted(place.path),
                         single_quoted(fmt::format("{}", fmt::join(next, " "))),
                         single_quoted(fmt::format("{}", fmt::join(flags, " "))));
  }
  return fmt::format(R"(# bash completion for waybill. To use it: source <(waybill completion bash)

# Sets takes (1: the flag $2 of the command $1 wants a value) and choices (its values, or @file).
_waybill_flag() {{
  takes=0 choices=''
  case "$1 $2" in
{values}  esac
}}

# Sets words (what may follow the command $1) and flags.
_waybill_place() {{
  words='' flags='' known=1
  case "$1" in
{words}    *) known=0 ;;
  esac
}}

_waybill_files() {{
  compopt -o filenames 2>/dev/null || :
  mapfile -t COMPREPLY < <(compgen -f -- "$1")
}}

_waybill() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" path='' word i takes choices words flags known
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${{COMP_WORDS[i]}}"
    if [[ $word == -* ]]; then
      _waybill_flag "$path" "$word"
      ((takes)) && [[ ${{COMP_WORDS[i + 1]}} != = ]] && ((i + 1 < COMP_CWORD)) && ((i++))
      continue
    fi
    _waybill_place "${{path:+$path }}$word"
    ((known)) && path="${{path:+$path }}$word"
  done
  COMPREPLY=()
  local previous="${{COMP_WORDS[COMP_CWORD - 1]}}"
  [[ $previous == = ]] && previous="${{COMP_WORDS[COMP_CWORD - 2]}}"
  if [[ $current == = ]]; then previous="${{COMP_WORDS[COMP_CWORD - 1]}}" current=''; fi
  if [[ $previous == -* ]]; then
    _waybill_flag "$path" "$previous"
    if [[ $choices == @file ]]; then _waybill_files "$current"; return; fi
    if ((takes)); then mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$current"); return; fi
  fi
  _waybill_place "$path"
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$current")
  elif [[ " $words " == *" @file "* ]]; then
    _waybill_files "$current"
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  fi
}}

complete -F _waybill waybill
)",
                     fmt::arg("values", values), fmt::arg("words", words));
}

std::string zsh_completion(const CommandTree& tree) {
  std::string cases;
  for (const Place& place : places(tree)) {
    cases += fmt::format("    {})\n", single_quoted(place.path));
    cases += "      words_here=(";
    for (const auto& [word, help] : place.words)
      cases += " " + single_quoted(word + ":" + described_for_zsh(help));
    cases += " )\n      flags_here=(";
    for (const Flag& flag : place.flags) {
      std::string value;
      if (flag.type == ValueType::kFile) {
        value = ":file:_files";
      } else if (!flag.choices.empty()) {
        value = fmt::format(":value:({})", choices_of(flag));
      } else if (!flag.value.empty()) {
        value = ":value: ";
      }
      for (const std::string& spelling : spellings(flag)) {
        cases += " " + single_quoted(fmt::format("{}{}[{}]{}", flag.repeats ? "*" : "", spelling,
                                                 described_for_zsh(flag.help), value));
      }
    }
    cases += fmt::format(" )\n      files_here={} ;;\n", place.takes_files ? 1 : 0);
  }
  return fmt::format(R"(#compdef waybill
# zsh completion for waybill. To use it: waybill completion zsh > "${{fpath[1]}}/_waybill"

_waybill_place() {{
  words_here=() flags_here=() files_here=0
  case "$1" in
{cases}    *) return 1 ;;
  esac
}}

_waybill() {{
  local place='' word
  local -a words_here flags_here
  integer files_here i
  for ((i = 2; i < CURRENT; i++)); do
    word="${{words[i]}}"
    [[ $word == -* ]] && continue
    _waybill_place "${{place:+$place }}$word" && place="${{place:+$place }}$word"
  done
  _waybill_place "$place"
  if ((${{#words_here}} && !${{#flags_here}})) || [[ $PREFIX != -* && ${{#words_here}} -gt 0 ]]; then
    _describe command words_here
  elif ((files_here)); then
    _arguments -s -S $flags_here '*:file:_files'
  else
    _arguments -s -S $flags_here '*: :'
  fi
}}

if [[ ${{funcstack[1]}} == _waybill ]]; then _waybill "$@"; else compdef _waybill waybill; fi
)",
                     fmt::arg("cases", cases));
}

std::string fish_completion(const CommandTree& tree) {
  std::string lines;
  for (const Place& place : places(tree)) {
    const std::string condition = single_quoted(fmt::format("__waybill_at \"{}\"", place.path));
    for (const auto& [word, help] : place.words) {
      lines += fmt::format("complete -c waybill -n {} -f -a {} -d {}\n", condition, word,
                           single_quoted(described(help)));
    }
    for (const Flag& flag : place.flags) {
      lines += fmt::format("complete -c waybill -n {} -l {}", condition, flag.name);
      if (flag.letter != 0) lines += fmt::format(" -s {}", flag.letter);
      if (flag.type == ValueType::kFile) {
        lines += " -r -F";
      } else if (!flag.value.empty()) {
        lines += " -x";
      } else {
        lines += " -f";
      }
      if (!flag.choices.empty()) lines += " -a " + single_quoted(choices_of(flag));
      lines += " -d " + single_quoted(described(flag.help)) + "\n";
    }
  }
  std::vector<std::string> paths;
  for (const Place& place : places(tree)) {
    if (!place.path.empty()) paths.push_back(single_quoted(place.path));
  }
  return fmt::format(R"(# fish completion for waybill. To use it: waybill completion fish | source

# Whether the words typed so far are this command.
function __waybill_at
    set -l place ''
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; and continue
        set -l longer (string trim -- "$place $word")
        contains -- $longer {paths}; and set place $longer
    end
    test "$place" = "$argv[1]"
end

complete -c waybill -f
{lines})",
                     fmt::arg("paths", fmt::join(paths, " ")), fmt::arg("lines", lines));
}

}  // namespace waybill::cli
