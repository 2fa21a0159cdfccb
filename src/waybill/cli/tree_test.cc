// The command tree: what is typed, what help says, and what is generated from it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>

#include "tests/support/cli_run.h"
#include "waybill/base/status.h"
#include "waybill/cli/completion.h"
#include "waybill/cli/failure.h"
#include "waybill/cli/help.h"
#include "waybill/cli/man.h"
#include "waybill/cli/parse.h"
#include "waybill/cli/suggest.h"

namespace waybill::cli {
namespace {

using testing::CliRun;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

LocalCommands some_local() {
  LocalCommands local;
  local.groups = {{"config", "look at the configuration"}};
  local.commands = {
      {.path = {"serve"},
       .summary = "run the server",
       .description = "",
       .flags =
           {{.name = "config", .letter = 'c', .value = "FILE", .help = "settings", .type = ValueType::kFile}},
       .examples = {{"waybill serve", "Run it"}},
       .run =
           [](const Invocation& typed, Environment& environment) {
             environment.out << "serving " << typed.text("config", "nothing") << "\n";
             return kOk;
           }},
      {.path = {"config", "check"},
       .summary = "check a file",
       .description = "",
       .arguments = {{.name = "FILE", .help = "it", .type = ValueType::kFile}},
       .examples = {{"waybill config check x.yaml", "Check it"}},
       .run = [](const Invocation&, Environment&) -> int { throw std::runtime_error("broke"); }}};
  return local;
}

absl::StatusOr<Parsed> parsed(std::vector<std::string> args) {
  static const CommandTree tree = command_tree(some_local());
  return parse(tree, std::move(args));
}

TEST(ParseTest, TakesFlagsInEveryForm) {
  const auto line = parsed({"--url=http://x", "list", "jobs", "--status", "NEW,FAILED", "--order_by=id",
                            "-n5", "-ojson", "--tags", "a:b", "--tags=c:d", "-aw", "--name="});
  ASSERT_TRUE(line.ok()) << message(line.status());
  EXPECT_EQ(line->command->name(), "list jobs");
  EXPECT_EQ(line->invocation.text("url"), "http://x");
  EXPECT_EQ(line->invocation.text("order-by"), "id");
  EXPECT_EQ(line->invocation.number("limit", 0), 5);
  EXPECT_EQ(line->invocation.text("output"), "json");
  EXPECT_THAT(line->invocation.all("tags"), ElementsAre("a:b", "c:d"));
  EXPECT_TRUE(line->invocation.has("all"));
  EXPECT_TRUE(line->invocation.has("watch"));
  EXPECT_EQ(line->invocation.find("name"), "");
}

TEST(ParseTest, SeveralValuesFollowAFlagThatRepeats) {
  const auto line =
      parsed({"submit", "--command", "a", "b", "--cluster", "c", "--priority", "-5", "--tag", "[x,y]"});
  ASSERT_TRUE(line.ok()) << message(line.status());
  EXPECT_THAT(line->invocation.all("command"), ElementsAre("a", "b"));
  EXPECT_THAT(line->invocation.all("cluster"), ElementsAre("c"));
  EXPECT_EQ(line->invocation.number("priority", 0), -5);
  EXPECT_THAT(line->invocation.all("tag"), ElementsAre("[x,y]"));
}

TEST(ParseTest, InACommandWithArgumentsAFlagTakesOneValue) {
  const auto line = parsed({"cancel", "--status", "NEW", "7"});
  ASSERT_TRUE(line.ok());
  EXPECT_THAT(line->invocation.all("status"), ElementsAre("NEW"));
  EXPECT_THAT(line->invocation.all("ID"), ElementsAre("7"));
}

TEST(ParseTest, AfterTwoDashesEverythingIsAnArgument) {
  const auto line = parsed({"wait", "a", "--", "--b", "-c"});
  ASSERT_TRUE(line.ok());
  EXPECT_THAT(line->invocation.all("ID"), ElementsAre("a", "--b", "-c"));
}

TEST(ParseTest, MistakesAreOfUsageAndSayWhatWasMeant) {
  struct Case {
    std::vector<std::string> args;
    std::string error;
    std::string hint;
  };
  const std::vector<Case> cases = {
      {{"lst"}, "\"lst\" is not a command", "did you mean waybill list?"},
      {{"list", "job"}, "\"list job\" is not a command", "did you mean waybill list jobs?"},
      {{"serv"}, "\"serv\" is not a command", "did you mean waybill serve?"},
      {{"xyzzy"}, "\"xyzzy\" is not a command", "see waybill --help"},
      {{"list"}, "list wants a command: jobs, commands, clusters, records", "see waybill list --help"},
      {{"list", "jobs", "--stauts", "NEW"}, "--stauts is not a flag of list jobs", "did you mean --status?"},
      {{"list", "jobs", "-Z"}, "-Z is not a flag of list jobs", "see waybill list jobs --help"},
      {{"list", "jobs", "x"}, "\"x\" is one word too many", "see waybill list jobs --help"},
      {{"list", "jobs", "--name"}, "--name wants a value", "see waybill list jobs --help"},
      {{"list", "jobs", "--all=yes"}, "--all takes no value", "see waybill list jobs --help"},
      {{"list", "jobs", "-o", "jsno"}, "-o: \"jsno\" is none of table, wide, json", "did you mean json?"},
      {{"list", "jobs", "--limit", "many"}, "--limit: \"many\" is not a whole number", ""},
      {{"list", "jobs", "--from", "soon"}, "--from: \"soon\" is not a time", ""},
      {{"wait", "x", "--timeout", "soon"}, "--timeout: \"soon\" is not a duration", ""},
      {{"get", "job"}, "get job wants ID", "see waybill get job --help"},
      {{"completion", "tcsh"}, "SHELL: \"tcsh\" is none of bash, zsh, fish", ""},
      {{"serve", "--user", "x"}, "--user is not a flag of serve", "see waybill serve --help"},
      {{"--user", "x", "serve"}, "--user is not a flag of serve", "see waybill serve --help"},
  };
  for (const Case& wrong : cases) {
    const auto line = parsed(wrong.args);
    ASSERT_FALSE(line.ok()) << wrong.error;
    EXPECT_THAT(message(line.status()), HasSubstr(wrong.error));
    if (!wrong.hint.empty()) EXPECT_EQ(hint_of(line.status()), wrong.hint);
    EXPECT_EQ(exit_code_of(line.status()), kUsage) << wrong.error;
  }
}

TEST(SuggestTest, TheNearestWordIfItIsNear) {
  const std::vector<std::string> words = {"submit", "list", "logs", "health"};
  EXPECT_EQ(nearest("sumbit", words), "submit");
  EXPECT_EQ(nearest("log", words), "logs");
  EXPECT_EQ(nearest("heal", words), "health");
  EXPECT_EQ(nearest("zzz", words), "");
  EXPECT_EQ(nearest(std::string(5000, 'x'), words), "");
}

TEST(HelpTest, EveryCommandHasASummaryAndExamplesInItsHelp) {
  const CommandTree tree = command_tree(some_local());
  for (const Command& command : tree.commands) {
    EXPECT_FALSE(command.summary.empty()) << command.name();
    ASSERT_FALSE(command.examples.empty()) << command.name();
    const std::string help = help_text(tree, command.path);
    EXPECT_THAT(help, HasSubstr("Usage: waybill " + command.name()));
    EXPECT_THAT(help, HasSubstr("Examples:")) << command.name();
    EXPECT_THAT(help, HasSubstr(command.examples.front().line));
    for (const Flag& flag : command.flags) EXPECT_THAT(help, HasSubstr("--" + flag.name));
  }
}

TEST(HelpTest, GoesToStandardOutputWhereItWasAskedFor) {
  CliRun cli;
  EXPECT_EQ(cli.run({"--help"}, some_local()), kOk);
  EXPECT_THAT(cli.out, HasSubstr("submit"));
  EXPECT_THAT(cli.out, HasSubstr("look at the configuration"));
  EXPECT_THAT(cli.out, Not(HasSubstr("generate-man")));
  EXPECT_EQ(cli.run({"help", "list"}), kOk);
  EXPECT_THAT(cli.out, HasSubstr("list jobs"));
  EXPECT_EQ(cli.run({"get", "job", "--help"}), kOk);
  EXPECT_THAT(cli.out, HasSubstr("Usage: waybill get job ID [flags]"));
  EXPECT_EQ(cli.run({}), kUsage);
  EXPECT_EQ(cli.out, "");
  EXPECT_THAT(cli.err, HasSubstr("Usage:"));
}

TEST(RunTest, LocalCommandsBelongToTheTree) {
  CliRun cli;
  EXPECT_EQ(cli.run({"serve", "-c", "x.yaml"}, some_local()), kOk);
  EXPECT_EQ(cli.out, "serving x.yaml\n");
  EXPECT_EQ(cli.run({"config", "check", "x"}, some_local()), kError);
  EXPECT_EQ(cli.err, "error: config check failed: broke\n");
  EXPECT_EQ(cli.run({"version"}), kOk);
  EXPECT_THAT(cli.out, ::testing::StartsWith("waybill "));
}

// What bash offers for a line whose last word is being typed, by the generated script itself.
std::string bash_offers(const std::vector<std::string>& words) {
  std::string line = bash_completion(command_tree(some_local())) + "\nCOMP_WORDS=(waybill";
  for (const std::string& word : words) line += " '" + word + "'";
  line += ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_waybill\nprintf '%s ' \"${COMPREPLY[@]}\"\n";
  CliRun folder;
  const std::string script = folder.write_file("try.bash", line);
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(("bash -eu " + script + " 2>&1").c_str(), "r"),
                                                   pclose);
  std::string offers;
  std::array<char, 4096> block{};
  while (fgets(block.data(), block.size(), pipe.get()) != nullptr) offers += block.data();
  return offers;
}

TEST(CompletionTest, BashCompletesTheTree) {
  EXPECT_EQ(bash_offers({"su"}), "submit ");
  EXPECT_EQ(bash_offers({"list", ""}), "jobs commands clusters records ");
  EXPECT_EQ(bash_offers({"list", "jobs", "--ord"}), "--order-by ");
  EXPECT_EQ(bash_offers({"list", "jobs", "--direction", ""}), "asc desc ");
  EXPECT_EQ(bash_offers({"list", "jobs", "--direction", "=", "a"}), "asc ");
  EXPECT_EQ(bash_offers({"list", "jobs", "-o", "js"}), "json jsonl ");
  EXPECT_EQ(bash_offers({"list", "jobs", "--name", "submit", "--dir"}), "--direction ");
  EXPECT_EQ(bash_offers({"completion", ""}), "bash zsh fish ");
  EXPECT_EQ(bash_offers({"config", ""}), "check ");
  EXPECT_EQ(bash_offers({"serve", "--con"}), "--config ");
  EXPECT_THAT(bash_offers({"config", "check", "/etc/pass"}), HasSubstr("/etc/passwd"));
}

TEST(CompletionTest, EveryCommandAndFlagIsInEachScript) {
  const CommandTree tree = command_tree(some_local());
  for (const std::string& script : {bash_completion(tree), zsh_completion(tree), fish_completion(tree)}) {
    for (const Command& command : tree.commands) {
      if (command.hidden) continue;
      EXPECT_THAT(script, HasSubstr(command.path.back()));
      for (const Flag& flag : command.flags) EXPECT_THAT(script, HasSubstr(flag.name));
    }
    EXPECT_THAT(script, Not(HasSubstr("generate-man")));
  }
}

TEST(ManTest, EachCommandHasAPageThatRoffReads) {
  const CommandTree tree = command_tree(some_local());
  const std::vector<ManPage> pages = man_pages(tree);
  EXPECT_EQ(pages.front().file, "waybill.1");
  const auto logs =
      std::find_if(pages.begin(), pages.end(), [](const ManPage& p) { return p.file == "waybill-logs.1"; });
  ASSERT_NE(logs, pages.end());
  EXPECT_THAT(logs->text, HasSubstr(".TH WAYBILL-LOGS 1"));
  EXPECT_THAT(logs->text, HasSubstr("waybill\\-logs \\- print a job\\(aqs log"));
  EXPECT_THAT(logs->text, HasSubstr(".B \\-f, \\-\\-follow"));
  for (const ManPage& page : pages) {
    EXPECT_THAT(page.text, HasSubstr(".SH NAME"));
    EXPECT_THAT(page.file, Not(HasSubstr("generate")));
  }
}

TEST(ManTest, AreWrittenIntoAFolder) {
  CliRun cli;
  EXPECT_EQ(cli.run({"generate-man", cli.folder().string()}), kOk);
  EXPECT_TRUE(std::filesystem::exists(cli.folder() / "waybill-list-jobs.1"));
  EXPECT_EQ(cli.run({"generate-man", (cli.folder() / "none").string()}), kError);
  EXPECT_THAT(cli.err, HasSubstr("can't be written"));
}

}  // namespace
}  // namespace waybill::cli
