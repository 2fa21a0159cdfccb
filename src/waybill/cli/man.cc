#include "waybill/cli/man.h"

#include <fmt/format.h>

#include <algorithm>

#include "waybill/cli/help.h"

namespace waybill::cli {
namespace {

// Text that roff prints as it is: no escapes, no requests, plain hyphens.
std::string roff(const std::string& text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else {
      out += c;
    }
    line_begins = c == '\n';
  }
  return out;
}

std::string page_name(const Command& command) {
  std::string name = "waybill";
  for (const std::string& word : command.path) name += "-" + word;
  return name;
}

std::string title(std::string name) {
  for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return fmt::format(".TH {} 1 \"\" \"waybill {}\" \"Waybill\"\n", name, WAYBILL_VERSION);
}

std::string entry(const std::string& left, const std::string& right) {
  return fmt::format(".TP\n.B {}\n{}\n", roff(left), roff(right));
}

std::string flags_section(const std::string& heading, const std::vector<Flag>& flags) {
  if (flags.empty()) return "";
  std::string text = fmt::format(".SH {}\n", heading);
  for (const Flag& flag : flags) {
    const std::string spelling = flag_spelling(flag);
    text += entry(spelling.substr(spelling.find('-')), flag.help);
  }
  return text;
}

std::string command_page(const Command& command) {
  const std::string name = page_name(command);
  std::string text = title(name);
  text += fmt::format(".SH NAME\n{} \\- {}\n", roff(name), roff(command.summary));
  text += fmt::format(".SH SYNOPSIS\n.B {}\n", roff(synopsis(command)));
  if (!command.description.empty()) text += fmt::format(".SH DESCRIPTION\n{}\n", roff(command.description));
  if (!command.arguments.empty()) {
    text += ".SH ARGUMENTS\n";
    for (const Argument& argument : command.arguments) text += entry(argument.name, argument.help);
  }
  text += flags_section("FLAGS", command.flags);
  if (command.is_client) text += flags_section("COMMON FLAGS", common_flags());
  if (!command.examples.empty()) {
    text += ".SH EXAMPLES\n";
    for (const Example& example : command.examples) {
      text += fmt::format("{}:\n.PP\n.nf\n.RS\n{}\n.RE\n.fi\n.PP\n", roff(example.what), roff(example.line));
    }
  }
  return text + ".SH SEE ALSO\n.BR waybill (1)\n";
}

std::string exit_codes() {
  std::string text = ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : {std::pair<const char*, const char*>{"0", "done"},
                                      {"1", "an error"},
                                      {"2", "the command line is wrong"},
                                      {"3", "the job failed, was killed or canceled"},
                                      {"4", "not signed in, or not allowed"},
                                      {"5", "not found"},
                                      {"124", "a time limit was reached"},
                                      {"130", "interrupted; a job that was waited for goes on"}}) {
    text += entry(code, meaning);
  }
  return text;
}

std::string environment_section() {
  std::string text = ".SH ENVIRONMENT\n";
  for (const auto& [name, meaning] : {std::pair<const char*, const char*>{"WAYBILL_URL", "the server"},
                                      {"WAYBILL_USER", "the caller's name"},
                                      {"WAYBILL_TOKEN", "a bearer token"},
                                      {"WAYBILL_PROFILE", "a profile of config.toml"},
                                      {"WAYBILL_CA", "a file of certificates to trust"},
                                      {"NO_COLOR", "no colours, whatever it is set to"}}) {
    text += entry(name, meaning);
  }
  return text + ".SH FILES\n" +
         entry(
             "$XDG_CONFIG_HOME/waybill/config.toml",
             "profiles: [profiles.NAME] with url, user, token and ca; profile = \"NAME\" names the default");
}

std::string program_page(const CommandTree& tree) {
  std::string text = title("waybill");
  text += ".SH NAME\nwaybill \\- run jobs on clusters and keep the history of every run\n";
  text += ".SH SYNOPSIS\n.B waybill\n.I COMMAND\n[flags]\n.SH COMMANDS\n";
  for (const Command& command : tree.commands) {
    if (!command.hidden) text += entry(command.name(), command.summary);
  }
  return text + flags_section("COMMON FLAGS", common_flags()) + environment_section() + exit_codes();
}

}  // namespace

std::vector<ManPage> man_pages(const CommandTree& tree) {
  std::vector<ManPage> pages = {{.file = "waybill.1", .text = program_page(tree)}};
  for (const Command& command : tree.commands) {
    if (!command.hidden) pages.push_back({.file = page_name(command) + ".1", .text = command_page(command)});
  }
  return pages;
}

}  // namespace waybill::cli
