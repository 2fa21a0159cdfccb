#include "waybill/plugins/shell/shell.h"

#include <absl/time/clock.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <stdexcept>

#include "waybill/base/status.h"
#include "waybill/plugins/shell/testing/shell_bench.h"

namespace waybill::plugins {
namespace {

using ports::RunPhase;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Shell, KeepsWhatTheChildPrintsAndItsExitCode) {
  ShellBench bench;
  const auto job = shell_job("echo one; echo two >&2; printf 'no newline'");
  const ports::Observation end = bench.run(job);
  EXPECT_EQ(end.phase, RunPhase::kSucceeded);
  EXPECT_EQ(end.error, "");
  EXPECT_EQ(end.outputs.at("exit_code"), "0");
  EXPECT_EQ(bench.out(job), "one\nno newline");
  EXPECT_EQ(bench.err(job), "two\n");
  EXPECT_EQ(end.result, nullptr);
}

TEST(Shell, AFailureReadsAsGoSaysIt) {
  ShellBench bench;
  const ports::Observation status = bench.run(shell_job("echo before; exit 3", 1));
  EXPECT_EQ(status.phase, RunPhase::kFailed);
  EXPECT_EQ(status.error, "exit status 3");
  EXPECT_EQ(status.outputs.at("exit_code"), "3");
  const ports::Observation killed = bench.run(shell_job("kill -KILL $$", 2));
  EXPECT_EQ(killed.phase, RunPhase::kFailed);
  EXPECT_EQ(killed.error, "signal: killed");
}

TEST(Shell, ArgumentsReachTheProgramAsTheyAre) {
  ShellBench bench;
  const auto job = shell_job("");
  auto command = std::make_shared<domain::Command>();
  command->context = boost::json::object{{"command", boost::json::array{"/usr/bin/printf", "[%s]"}}};
  job->command = command;
  job->job.spec.context =
      boost::json::object{{"arguments", boost::json::array{"a b", "*", "$HOME", "ü☃", "", "-n"}}};
  EXPECT_EQ(bench.run(job).phase, RunPhase::kSucceeded);
  EXPECT_EQ(bench.out(job), "[a b][*][$HOME][ü☃][][-n]");
}

TEST(Shell, AProgramThatIsNotThereIsTheJobsFailure) {
  ShellBench bench;
  const auto job = shell_job("");
  auto command = std::make_shared<domain::Command>();
  command->context = boost::json::object{{"command", boost::json::array{"/nonexistent/program"}}};
  job->command = command;
  const ports::Observation end = bench.run(job);
  EXPECT_EQ(end.phase, RunPhase::kFailed);
  EXPECT_EQ(end.error, "cannot run \"/nonexistent/program\": No such file or directory");
}

TEST(Shell, NoWordsAtAllIsAClearFailure) {
  ShellBench bench;
  const auto job = shell_job("");
  job->command = std::make_shared<domain::Command>();
  job->job.spec.context.reset();
  const ports::StartResult started = bench.start(job);
  ASSERT_TRUE(started.outcome);
  EXPECT_EQ(started.outcome->phase, RunPhase::kFailed);
  EXPECT_THAT(started.outcome->error, HasSubstr("there is nothing to run"));
  EXPECT_EQ(bench.observe(job, started.handle).phase, RunPhase::kFailed);
}

TEST(Shell, TheChildSeesAnExplicitEnvironmentAndItsOwnDirectory) {
  ShellBench bench;
  ::setenv("SERVER_SECRET", "hidden", 1);
  const auto job = shell_job("pwd; env | sort; ls -A; cat context.json >&2");
  auto command = std::make_shared<domain::Command>(*job->command);
  (*command->context)["env"] = boost::json::object{{"TZ", "UTC"}, {"PORT", 8080}};
  job->command = command;
  auto cluster = std::make_shared<domain::Cluster>(*job->cluster);
  cluster->context = boost::json::object{{"env", boost::json::object{{"TZ", "CET"}}}, {"zone", "b"}};
  job->cluster = cluster;
  EXPECT_EQ(bench.run(job).phase, RunPhase::kSucceeded);
  const std::string here = bench.directory(job).string();
  const std::string out = bench.out(job);
  EXPECT_THAT(out, ::testing::StartsWith(here + "\n"));
  for (const std::string& line :
       {"HOME=" + here, std::string("LANG=C.UTF-8"),
        std::string("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
        "WAYBILL_JOB_ID=" + job->job.id.str(), std::string("WAYBILL_ATTEMPT=1"),
        std::string("WAYBILL_USER=alice"), std::string("TZ=CET"), std::string("PORT=8080"),
        "WAYBILL_OUTPUT=" + here + "/.waybill-output"})
    EXPECT_THAT(out, HasSubstr("\n" + line + "\n"));
  EXPECT_EQ(out.find("SERVER_SECRET"), std::string::npos);
  EXPECT_THAT(out, HasSubstr("\ncontext.json\n"));
  const boost::json::value context = boost::json::parse(bench.err(job));
  const auto at = [&](const char* pointer) { return boost::json::serialize(context.at_pointer(pointer)); };
  EXPECT_EQ(at("/job/id"), '"' + job->job.id.str() + '"');
  EXPECT_EQ(at("/job/user"), "\"alice\"");
  EXPECT_EQ(at("/command/command"), R"(["/bin/sh","-c"])");
  EXPECT_EQ(at("/cluster/context/zone"), "\"b\"");
  EXPECT_EQ(at("/runtime/WorkingDirectory"), '"' + here + '"');
}

TEST(Shell, OnlyTheServersUserCanReadAJobsFiles) {
  ShellBench bench;
  const auto job = shell_job("echo x > mine");
  bench.run(job);
  using std::filesystem::perms;
  const auto mode = [&](const std::filesystem::path& path) {
    return std::filesystem::status(path).permissions() & perms::all;
  };
  EXPECT_EQ(mode(bench.directory(job)), perms::owner_all);
  EXPECT_EQ(mode(bench.run_directory(job)), perms::owner_all);
  for (const char* name : {"stdout", "stderr", "context.json", ".waybill-output", "mine"})
    EXPECT_EQ(mode(bench.directory(job) / name), perms::owner_read | perms::owner_write) << name;
}

TEST(Shell, AJobCanNotChooseTheProgramOrTheEnvironment) {
  ShellBench bench;
  const auto job = shell_job("echo \"$0 $EVIL\"");
  (*job->job.spec.context)["command"] = boost::json::array{"/bin/false"};
  (*job->job.spec.context)["env"] = boost::json::object{{"EVIL", "yes"}};
  job->context = *job->job.spec.context;
  EXPECT_EQ(bench.run(job).phase, RunPhase::kSucceeded);
  EXPECT_EQ(bench.out(job), "/bin/sh \n");
}

TEST(Shell, WrongTypesAreRefusedBeforeAnythingRuns) {
  ShellBench bench;
  const auto job = shell_job("");
  job->job.spec.context = boost::json::object{{"arguments", "not a list"}};
  EXPECT_THAT(message(bench.shell().validate(*job)),
              HasSubstr("context.arguments: \"not a list\" is not a list of strings"));
  job->job.spec.context = boost::json::object{{"arguments", boost::json::array{"a", 1}}};
  EXPECT_THAT(message(bench.shell().validate(*job)), HasSubstr("context.arguments[1]: 1 is not a string"));
}

TEST(Shell, OutputsAreSeenWhileTheJobRuns) {
  ShellBench bench;
  const auto job = shell_job(
      "echo link=http://x/1 >> $WAYBILL_OUTPUT; mkfifo gate; echo > up; read x < gate; echo late=2 >> "
      "$WAYBILL_OUTPUT");
  const ports::StartResult started = bench.start(job);
  bench.wait_for_file(job, "up");
  const ports::Observation running = bench.observe_until(
      job, started.handle, [](const ports::Observation& seen) { return seen.outputs.contains("link"); });
  EXPECT_EQ(running.phase, RunPhase::kRunning);
  EXPECT_EQ(running.outputs.at("link"), "http://x/1");
  std::ofstream(bench.directory(job) / "gate") << "go\n";
  const ports::Observation end = bench.observe_to_end(job, started.handle);
  EXPECT_EQ(end.outputs.at("link"), "http://x/1");
  EXPECT_EQ(end.outputs.at("late"), "2");
}

TEST(Shell, NudgesWhenTheJobEndsAndWhenItPublishes) {
  ShellBench bench;
  const auto job =
      shell_job("mkfifo gate last; echo > up; read x < gate; echo a=1 >> $WAYBILL_OUTPUT; read x < last");
  const ports::StartResult started = bench.start(job);
  bench.wait_for_file(job, "up");
  bench.observe_until(job, started.handle,
                      [](const ports::Observation& seen) { return seen.phase == RunPhase::kRunning; });
  EXPECT_TRUE(bench.nudged().empty());
  std::ofstream(bench.directory(job) / "gate") << "go\n";
  bench.io().wait_until([&] { return !bench.nudged().empty(); });
  EXPECT_EQ(bench.observe(job, started.handle).outputs.at("a"), "1");
  bench.nudged().clear();
  std::ofstream(bench.directory(job) / "last") << "go\n";
  bench.io().wait_until([&] { return bench.nudged().contains(job->job.id.str()); });
  EXPECT_EQ(bench.observe(job, started.handle).phase, RunPhase::kSucceeded);
}

TEST(Shell, AResultFileBecomesTheResult) {
  ShellBench bench;
  const ports::Observation end = bench.run(
      shell_job(R"(echo '{"columns":[{"name":"n","type":"int"}],"data":[[1],[2.5]]}' > result.json)"));
  EXPECT_EQ(end.phase, RunPhase::kSucceeded);
  ASSERT_NE(end.result, nullptr);
  EXPECT_EQ(end.result->columns.at(0).name, "n");
  EXPECT_EQ(end.result->rows.size(), 2U);
}

TEST(Shell, AMalformedResultFileFailsTheJobAsItDoesInHeimdall) {
  ShellBench bench;
  const ports::Observation end = bench.run(shell_job("echo '{\"columns\":[' > result.json"));
  EXPECT_EQ(end.phase, RunPhase::kFailed);
  EXPECT_THAT(end.error, HasSubstr("result.json: malformed JSON"));
  EXPECT_EQ(end.outputs.at("exit_code"), "0");
}

TEST(Shell, AResultFileThatIsALinkIsNotFollowed) {
  ShellBench bench;
  const ports::Observation end = bench.run(shell_job("ln -s /etc/passwd result.json"));
  EXPECT_EQ(end.phase, RunPhase::kFailed);
  EXPECT_THAT(end.error, HasSubstr("not a regular file"));
}

TEST(Shell, EachAttemptHasADirectoryOfItsOwn) {
  ShellBench bench;
  const auto first = shell_job("echo $WAYBILL_ATTEMPT");
  bench.run(first);
  const auto second = shell_job("echo $WAYBILL_ATTEMPT");
  second->job.state.attempt = 2;
  bench.run(second);
  EXPECT_EQ(bench.out(first), "1\n");
  EXPECT_EQ(bench.out(second), "2\n");
}

TEST(Shell, RunAsGivesTheChildAnotherUserAndItsFiles) {
  ShellOptions options;
  options.run_as = "nobody";
  ShellBench bench(options);
  std::filesystem::permissions(bench.options().jobs_directory.parent_path(),
                               std::filesystem::perms::others_exec, std::filesystem::perm_options::add);
  const auto job =
      shell_job("id -un; cat context.json > copy; echo a=1 >> $WAYBILL_OUTPUT; cat ../../*/.runs/*/*/spec");
  const absl::StatusOr<ports::StartResult> started = bench.io().run(bench.shell().start(job));
  if (::geteuid() != 0) {
    // Only root can give files away.
    EXPECT_THAT(message(started.status()), HasSubstr("shell.run_as"));
    return;
  }
  ASSERT_TRUE(started.ok()) << started.status();
  const ports::Observation end = bench.observe_to_end(job, started->handle);
  EXPECT_EQ(bench.out(job), "nobody\n");
  EXPECT_EQ(end.outputs.at("a"), "1");
  EXPECT_EQ(end.error, "exit status 1") << "it could read what it must not";
  EXPECT_EQ(std::filesystem::file_size(bench.directory(job) / "copy"),
            std::filesystem::file_size(bench.directory(job) / "context.json"));
}

TEST(Shell, RunAsAUserThatIsNotThereStartsNothing) {
  ShellOptions options;
  options.run_as = "no such user";
  ShellBench bench(options);
  const absl::StatusOr<ports::StartResult> started = bench.io().run(bench.shell().start(shell_job("true")));
  EXPECT_EQ(message(started.status()), "shell.run_as: there is no user \"no such user\"");
}

TEST(Shell, AnUnknownHandleIsAnUnknownRun) {
  ShellBench bench;
  const auto job = shell_job("true");
  for (const std::string handle : {"", "x", "shell ../../etc/1", "shell a/0", "shell a/1x",
                                   "shell 0191d2a0-0000-7000-8000-000000000009/1"})
    EXPECT_EQ(bench.observe(job, handle).phase, RunPhase::kUnknown) << handle;
}

TEST(Shell, ASupervisorThatEndsWithoutAWordIsALostRunAtOnce) {
  ShellBench bench;
  ShellOptions options = bench.options();
  options.supervisor = {"/bin/sh", "-c", "echo no such library >&2; exit 127"};
  Pool pool(1);
  bool nudged = false;
  Shell shell(bench.io().executor(), pool, [&](const JobId&) { nudged = true; }, options);
  const auto job = shell_job("true");
  const absl::StatusOr<ports::StartResult> started = bench.io().run(shell.start(job));
  ASSERT_TRUE(started.ok()) << started.status();
  bench.io().wait_until([&] { return nudged; });
  const absl::StatusOr<ports::Observation> end = bench.io().run(shell.observe(job, started->handle));
  ASSERT_TRUE(end.ok()) << end.status();
  EXPECT_EQ(end->phase, RunPhase::kEnded);
  EXPECT_EQ(end->reason, domain::EndReason::kLost);
  EXPECT_EQ(end->error, "the job's supervisor could not begin: no such library");
  pool.join();
}

TEST(Shell, ASupervisorThatCanNotBeStartedIsAnError) {
  ShellBench bench;
  ShellOptions options = bench.options();
  options.supervisor = {"/nonexistent/waybill"};
  Pool pool(1);
  Shell shell(bench.io().executor(), pool, [](const JobId&) {}, options);
  const auto job = shell_job("true");
  const absl::StatusOr<ports::StartResult> started = bench.io().run(shell.start(job));
  EXPECT_EQ(started.status().code(), absl::StatusCode::kUnavailable);
  // Nothing is spoilt by that: the same attempt can begin later.
  EXPECT_EQ(bench.run(job).phase, RunPhase::kSucceeded);
  pool.join();
}

}  // namespace
}  // namespace waybill::plugins
