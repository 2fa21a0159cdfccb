#include "waybill/cli/cli.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>

#include "waybill/base/status.h"
#include "waybill/cli/commands/commands.h"
#include "waybill/cli/completion.h"
#include "waybill/cli/failure.h"
#include "waybill/cli/help.h"
#include "waybill/cli/man.h"
#include "waybill/cli/parse.h"
#include "waybill/cli/session.h"
#include "waybill/cli/text.h"

namespace waybill::cli {
namespace {

void append(std::vector<Command>& commands, std::vector<Command> more) {
  for (Command& command : more) commands.push_back(std::move(command));
}

int write_man_pages(const CommandTree& tree, const std::filesystem::path& folder, Environment& environment) {
  for (const ManPage& page : man_pages(tree)) {
    std::ofstream stream(folder / page.file, std::ios::binary);
    stream << page.text << std::flush;
    if (stream) continue;
    print_error(environment, fmt::format("{} can't be written", (folder / page.file).string()),
                "name a folder that exists");
    return kError;
  }
  return kOk;
}

// Commands about the command line itself. They see the whole tree, themselves included.
std::vector<Command> own_commands(const std::shared_ptr<const CommandTree>& tree) {
  std::vector<Command> commands;
  commands.push_back(
      {.path = {"completion"},
       .summary = "print a script that completes commands and flags",
       .description = "",
       .arguments = {{.name = "SHELL", .help = "bash, zsh or fish", .choices = {"bash", "zsh", "fish"}}},
       .examples = {{"source <(waybill completion bash)", "For this bash"},
                    {"waybill completion zsh > \"${fpath[1]}/_waybill\"", "For every new zsh"},
                    {"waybill completion fish | source", "For this fish"}},
       .run = [tree](const Invocation& invocation, Environment& environment) {
         const std::string shell = invocation.text("SHELL");
         environment.out << (shell == "bash"  ? bash_completion(*tree)
                             : shell == "zsh" ? zsh_completion(*tree)
                                              : fish_completion(*tree));
         return environment.out.flush() ? kOk : kError;
       }});
  commands.push_back({.path = {"version"},
                      .summary = "print the version",
                      .description = "",
                      .examples = {{"waybill version", "Which Waybill this is"}},
                      .run = [](const Invocation&, Environment& environment) {
                        environment.out << "waybill " WAYBILL_VERSION "\n" << std::flush;
                        return kOk;
                      }});
  commands.push_back({.path = {"generate-man"},
                      .summary = "write the man pages",
                      .description = "",
                      .arguments = {{.name = "DIR", .help = "where to", .type = ValueType::kFile}},
                      .examples = {{"waybill generate-man docs/man", "Write them anew"}},
                      .run =
                          [tree](const Invocation& invocation, Environment& environment) {
                            return write_man_pages(*tree, invocation.text("DIR"), environment);
                          },
                      .hidden = true});
  return commands;
}

std::shared_ptr<CommandTree> build_tree(LocalCommands local) {
  auto tree = std::make_shared<CommandTree>();
  tree->groups = client_groups();
  for (Group& group : local.groups) tree->groups.push_back(std::move(group));
  tree->commands.push_back(submit_command());
  append(tree->commands, get_commands());
  append(tree->commands, list_commands());
  append(tree->commands, follow_commands());
  tree->commands.push_back(cancel_command());
  tree->commands.push_back(rerun_command());
  tree->commands.push_back(preview_command(std::move(local.read_config)));
  append(tree->commands, inspect_commands());
  append(tree->commands, std::move(local.commands));
  return tree;
}

}  // namespace

std::vector<Group> client_groups() {
  return {{"get", "show one object"},
          {"list", "list objects, with filters"},
          {"attributes", "look at the attributes of jobs"},
          {"stats", "count jobs and runs over time"}};
}

CommandTree command_tree(LocalCommands local) {
  const std::shared_ptr<CommandTree> tree = build_tree(std::move(local));
  // What completion and the man pages describe includes themselves; the copy that they hold must not hold
  // them.
  auto described = std::make_shared<CommandTree>(*tree);
  append(described->commands, own_commands(nullptr));
  append(tree->commands, own_commands(described));
  return *tree;
}

void print_error(Environment& environment, const std::string& sentence, const std::string& hint) {
  environment.err << "error: " << made_visible(sentence) << '\n';
  std::string shown;
  for (std::size_t start = 0; start < hint.size();) {
    const std::size_t end = std::min(hint.find('\n', start), hint.size());
    shown += (start == 0 ? "" : "\n") + made_visible(hint.substr(start, end - start));
    start = end + 1;
  }
  if (!shown.empty()) environment.err << "hint: " << shown << '\n';
  environment.err << std::flush;
}

int run(std::vector<std::string> args, Environment& environment, LocalCommands local) {
  const CommandTree tree = command_tree(std::move(local));
  if (args.empty()) {
    environment.err << help_text(tree, {}) << std::flush;
    return kUsage;
  }
  const absl::StatusOr<Parsed> parsed = parse(tree, std::move(args));
  if (!parsed.ok()) return report(environment, parsed.status());
  if (parsed->command == nullptr) {
    environment.out << help_text(tree, parsed->path) << std::flush;
    return kOk;
  }
  try {
    return parsed->command->run(parsed->invocation, environment);
  } catch (const std::exception& problem) {
    print_error(environment, fmt::format("{} failed: {}", parsed->command->name(), problem.what()));
    return kError;
  }
}

}  // namespace waybill::cli
