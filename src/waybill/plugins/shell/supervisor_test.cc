#include "waybill/plugins/shell/supervisor.h"

#include <absl/time/clock.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <stdexcept>

#include "waybill/plugins/shell/process.h"
#include "waybill/plugins/shell/run_directory.h"
#include "waybill/plugins/shell/testing/shell_bench.h"
#include "waybill/storage/files/log_file.h"

namespace waybill::plugins {
namespace {

using ports::RunPhase;
using ::testing::HasSubstr;

ShellOptions impatient() {
  ShellOptions options;
  options.cancel_grace = absl::Milliseconds(200);
  return options;
}

bool is_running(pid_t pid) { return is_alive(identify(pid)); }

pid_t supervisor_of(const ShellBench& bench, const std::shared_ptr<ports::JobRequest>& job) {
  const UniqueFd directory(::open(bench.run_directory(job).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return lock_holder(directory.get());
}

TEST(Supervisor, CancelIsATermThatTheChildMayHeed) {
  ShellBench bench;
  const auto job = shell_job("trap 'echo bye; exit 4' TERM; echo $$ > pid; while :; do sleep 0.02; done");
  const ports::StartResult started = bench.start(job);
  bench.wait_for_file(job, "pid");
  bench.cancel(job, started.handle);
  const ports::Observation end = bench.observe_to_end(job, started.handle);
  EXPECT_EQ(end.phase, RunPhase::kFailed);
  EXPECT_EQ(end.error, "exit status 4");
  EXPECT_EQ(bench.out(job), "bye\n");
}

TEST(Supervisor, AChildThatIgnoresTermIsKilled) {
  ShellBench bench(impatient());
  const auto job = shell_job("trap '' TERM HUP INT; echo $$ > pid; while :; do sleep 0.05; done");
  const ports::StartResult started = bench.start(job);
  const pid_t pid = std::stoi(bench.wait_for_file(job, "pid"));
  bench.cancel(job, started.handle);
  bench.cancel(job, started.handle);
  const ports::Observation end = bench.observe_to_end(job, started.handle);
  EXPECT_EQ(end.phase, RunPhase::kFailed);
  EXPECT_EQ(end.error, "signal: killed");
  EXPECT_FALSE(is_running(pid));
}

TEST(Supervisor, CancelReachesProcessesThatLeftTheGroup) {
  ShellBench bench(impatient());
  const auto job = shell_job(
      "setsid sh -c 'trap \"\" TERM; echo $$ > daemon; while :; do sleep 0.05; done' & echo $$ > pid; wait");
  const ports::StartResult started = bench.start(job);
  const pid_t daemon = std::stoi(bench.wait_for_file(job, "daemon"));
  bench.cancel(job, started.handle);
  EXPECT_EQ(bench.observe_to_end(job, started.handle).phase, RunPhase::kFailed);
  EXPECT_FALSE(is_running(daemon));
}

TEST(Supervisor, AStoppedChildIsEndedToo) {
  ShellBench bench(impatient());
  const auto job = shell_job("echo $$ > pid; kill -STOP $$; echo on");
  const ports::StartResult started = bench.start(job);
  bench.wait_for_file(job, "pid");
  bench.cancel(job, started.handle);
  EXPECT_EQ(bench.observe_to_end(job, started.handle).error, "signal: terminated");
}

TEST(Supervisor, WhatTheChildLeavesBehindDoesNotHoldTheRun) {
  ShellBench bench;
  // Both keep the pipes open; one is a daemon in the old way.
  const auto job = shell_job("sleep 300 & (setsid sh -c 'sleep 300 & echo $! > daemon') ; echo done");
  const ports::Observation end = bench.run(job);
  EXPECT_EQ(end.phase, RunPhase::kSucceeded);
  EXPECT_EQ(bench.out(job), "done\n");
  EXPECT_FALSE(is_running(std::stoi(slurp(bench.directory(job) / "daemon"))));
}

TEST(Supervisor, LeftoversThatIgnoreTermAreKilled) {
  ShellBench bench;
  const auto job = shell_job(
      "(trap '' TERM; echo up > up; while :; do echo more; sleep 0.02; done) & "
      "while [ ! -s up ]; do sleep 0.02; done; exit 5");
  const ports::Observation end = bench.run(job);
  EXPECT_EQ(end.error, "exit status 5");
}

TEST(Supervisor, AChildThatClosesItsOutputsIsStillFollowed) {
  ShellBench bench;
  const auto job = shell_job("exec >&- 2>&- <&-; mkfifo gate; echo > up; read x < gate; exit 3");
  const ports::StartResult started = bench.start(job);
  bench.wait_for_file(job, "up");
  bench.observe_until(job, started.handle,
                      [](const ports::Observation& seen) { return seen.phase == RunPhase::kRunning; });
  std::ofstream(bench.directory(job) / "gate") << "go\n";
  EXPECT_EQ(bench.observe_to_end(job, started.handle).error, "exit status 3");
}

TEST(Supervisor, TwoHundredMegabytesTakeNoMoreRoomThanTheCap) {
  ShellOptions options;
  options.limits.log_bytes = 1'000'000;
  ShellBench bench(options);
  const auto job = shell_job("echo HEAD; yes | head -c 200000000; echo TAIL");
  EXPECT_EQ(bench.run(job).phase, RunPhase::kSucceeded);
  EXPECT_EQ(std::filesystem::file_size(bench.directory(job) / "stdout"), 1'000'000U);
  const UniqueFd directory(::open(bench.directory(job).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const storage::LogReader reader(directory.get(), "stdout");
  EXPECT_EQ(reader.state().size, 200'000'010U);
  EXPECT_EQ(reader.state().gap_begin, 500'000U);
  EXPECT_EQ(reader.state().gap_end, 199'500'010U);
  std::string text;
  std::uint64_t next = 0;
  ASSERT_TRUE(reader.read(0, 9, text, next));
  EXPECT_EQ(text, "HEAD\ny\ny\n");
  ASSERT_TRUE(reader.read(200'000'001, 100, text, next));
  EXPECT_EQ(text, "y\ny\nTAIL\n");
}

TEST(Supervisor, RubbishAsOutputsIsLeftOutAndNotedInTheErrorLog) {
  ShellBench bench;
  const auto job = shell_job(
      "printf 'good=1\\nno equals\\n9bad=x\\nnul=\\000\\nnot=\\377\\nopen<<E\\nx\\n' >> $WAYBILL_OUTPUT");
  const ports::Observation end = bench.run(job);
  EXPECT_EQ(end.outputs, (domain::Outputs{{"good", "1"}, {"exit_code", "0"}}));
  EXPECT_EQ(bench.err(job),
            "[waybill: $WAYBILL_OUTPUT line 2: \"no equals\" is neither key=value nor key<<MARK]\n"
            "[waybill: $WAYBILL_OUTPUT line 3: \"9bad\" is not a key: use letters, digits and _ . -, "
            "beginning with "
            "a letter or _]\n"
            "[waybill: $WAYBILL_OUTPUT line 4: the value of \"nul\" is not UTF-8 text]\n"
            "[waybill: $WAYBILL_OUTPUT line 5: the value of \"not\" is not UTF-8 text]\n"
            "[waybill: $WAYBILL_OUTPUT line 6: \"open<<E\" has no line \"E\" after it]\n");
}

TEST(Supervisor, AnOutputFileThatIsNoFileIsNone) {
  ShellBench bench;
  EXPECT_EQ(bench.run(shell_job("rm $WAYBILL_OUTPUT; mkfifo $WAYBILL_OUTPUT", 1)).phase,
            RunPhase::kSucceeded);
  EXPECT_EQ(bench.run(shell_job("rm $WAYBILL_OUTPUT; ln -s /etc/passwd $WAYBILL_OUTPUT", 2)).outputs.size(),
            1U);
  EXPECT_EQ(bench.run(shell_job("rm $WAYBILL_OUTPUT; mkdir $WAYBILL_OUTPUT", 3)).phase, RunPhase::kSucceeded);
  EXPECT_EQ(bench.run(shell_job("cd ..; rm -rf $HOME; exit 2", 4)).error, "exit status 2");
}

TEST(Supervisor, AKilledSupervisorIsALostRunAndNothingOfItGoesOn) {
  ShellBench bench;
  const auto job = shell_job("setsid sleep 300 & echo $! > daemon; echo $$ > pid; sleep 300");
  const ports::StartResult started = bench.start(job);
  const pid_t pid = std::stoi(bench.wait_for_file(job, "pid"));
  const pid_t daemon = std::stoi(bench.wait_for_file(job, "daemon"));
  ASSERT_EQ(::kill(supervisor_of(bench, job), SIGKILL), 0);
  const ports::Observation end = bench.observe_to_end(job, started.handle);
  EXPECT_EQ(end.phase, RunPhase::kEnded);
  EXPECT_EQ(end.reason, domain::EndReason::kLost);
  EXPECT_EQ(end.error, "the job's supervisor was killed");
  bench.io().wait_until([&] { return !is_running(pid) && !is_running(daemon); });
  // It is written down: start and observe agree from now on.
  bench.restart();
  EXPECT_EQ(bench.start(job).handle, started.handle);
  EXPECT_EQ(bench.observe(job, started.handle).phase, RunPhase::kEnded);
}

TEST(Supervisor, WhatWasOpenedIsStartedAlsoAfterItsFileWasReplaced) {
  TemporaryFolder folder;
  const std::filesystem::path program = folder.path() / "supervise";
  std::filesystem::copy_file(WAYBILL_TEST_SUPERVISOR, program);
  ShellOptions options;
  options.supervisor_program = std::make_shared<const UniqueFd>(::open(program.c_str(), O_PATH | O_CLOEXEC));
  ASSERT_TRUE(std::filesystem::remove(program));
  std::ofstream(program) << "no program\n";
  ShellBench bench(options);
  // Of the descriptor that it was started by, the job gets none.
  const auto job = shell_job("ls /proc/$$/fd; exit 4");
  EXPECT_EQ(bench.run(job).error, "exit status 4");
  EXPECT_EQ(bench.out(job), "0\n1\n2\n");
}

TEST(Supervisor, ARunOutlivesAServerThatIsKilled) {
  TemporaryFolder folder;
  ShellOptions options;
  options.supervisor = {WAYBILL_TEST_SUPERVISOR};
  options.jobs_directory = folder.path() / "jobs";
  const auto job = shell_job("mkfifo gate; echo $$ > pid; read x < gate; echo \"heard $x\"; exit 6");
  const pid_t server = ::fork();
  ASSERT_GE(server, 0);
  if (server == 0) {
    waybill::testing::TestIo io;
    Pool pool(1);
    Shell shell(io.executor(), pool, [](const JobId&) {}, options);
    static_cast<void>(io.run(shell.start(job)).ok());
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(server, &status, 0), server);
  ASSERT_TRUE(WIFSIGNALED(status));

  waybill::testing::TestIo io;
  Pool pool(1);
  Shell shell(io.executor(), pool, [](const JobId&) {}, options);
  const absl::StatusOr<ports::StartResult> again = io.run(shell.start(job));
  ASSERT_TRUE(again.ok()) << again.status();
  const std::filesystem::path directory = options.jobs_directory / job->job.id.str();
  io.wait_until([&] { return slurp(directory / "pid").ends_with('\n'); });
  EXPECT_EQ(io.run(shell.observe(job, again->handle))->phase, RunPhase::kRunning);
  std::ofstream(directory / "gate") << "you\n";
  ports::Observation end;
  io.wait_until([&] {
    end = *io.run(shell.observe(job, again->handle));
    return end.phase != RunPhase::kRunning;
  });
  EXPECT_EQ(end.error, "exit status 6");
  EXPECT_EQ(slurp(directory / "stdout"), "heard you\n");
  pool.join();
}

TEST(Supervisor, AHundredJobsAtOnceAreAllFollowed) {
  ShellBench bench;
  std::vector<std::shared_ptr<ports::JobRequest>> jobs;
  std::vector<std::string> handles;
  for (int i = 1; i <= 100; ++i) {
    jobs.push_back(shell_job("echo " + std::to_string(i) + "; exit " + std::to_string(i), i));
    handles.push_back(bench.start(jobs.back()).handle);
  }
  for (int i = 1; i <= 100; ++i) {
    const auto& job = jobs[static_cast<std::size_t>(i - 1)];
    EXPECT_EQ(bench.observe_to_end(job, handles[static_cast<std::size_t>(i - 1)]).error,
              "exit status " + std::to_string(i));
    EXPECT_EQ(bench.out(job), std::to_string(i) + "\n");
  }
}

TEST(Supervisor, TwoStartsAtOnceAreOneRun) {
  ShellBench bench;
  const auto job = shell_job("echo ran >> $HOME/../ran");
  std::vector<std::string> handles;
  for (int i = 0; i < 8; ++i) {
    boost::asio::co_spawn(bench.io().context(), bench.shell().start(job),
                          [&](std::exception_ptr, absl::StatusOr<ports::StartResult> started) {
                            handles.push_back(started.ok() ? started->handle : "failed");
                          });
  }
  bench.io().wait_until([&] { return handles.size() == 8; });
  EXPECT_THAT(handles, ::testing::Each(handles[0]));
  EXPECT_EQ(bench.observe_to_end(job, handles[0]).phase, RunPhase::kSucceeded);
  EXPECT_EQ(slurp(bench.options().jobs_directory / "ran"), "ran\n");
}

TEST(Supervisor, ACrashBeforeTheSpawnIsMadeGoodByTheNextStart) {
  ShellBench bench;
  // Crashed after the first directory, and after everything but the spawn.
  const auto job = shell_job("echo ran >> ran");
  std::filesystem::create_directories(bench.run_directory(job));
  EXPECT_EQ(bench.run(job).phase, RunPhase::kSucceeded);
  ShellOptions idle = bench.options();
  idle.supervisor = {"/bin/true"};
  const auto other = shell_job("echo ran >> ran", 2);
  Pool pool(1);
  Shell crashed(bench.io().executor(), pool, [](const JobId&) {}, idle);
  ASSERT_TRUE(bench.io().run(crashed.start(other)).ok());
  EXPECT_EQ(bench.run(other).phase, RunPhase::kSucceeded);
  EXPECT_EQ(slurp(bench.directory(other) / "ran"), "ran\n");
  pool.join();
}

TEST(Supervisor, ARunThatIsCanceledBeforeItBeginsNeverBegins) {
  ShellBench bench;
  ShellOptions idle = bench.options();
  idle.supervisor = {"/bin/true"};
  Pool pool(1);
  Shell slow(bench.io().executor(), pool, [](const JobId&) {}, idle);
  const auto job = shell_job("echo ran > ran");
  const absl::StatusOr<ports::StartResult> started = bench.io().run(slow.start(job));
  ASSERT_TRUE(started.ok());
  EXPECT_EQ(bench.observe(job, started->handle).phase, RunPhase::kPending);
  bench.cancel(job, started->handle);
  const ports::Observation end = bench.observe(job, started->handle);
  EXPECT_EQ(end.phase, RunPhase::kFailed);
  EXPECT_EQ(end.error, "canceled before it began");
  bench.run(job);
  EXPECT_FALSE(std::filesystem::exists(bench.directory(job) / "ran"));
  pool.join();
}

TEST(Supervisor, AStalePidIsNotTakenForTheChild) {
  ShellBench bench;
  for (const bool rebooted : {false, true}) {
    const auto job = shell_job("true", rebooted ? 2 : 1);
    const std::string handle = bench.start(job).handle;
    bench.observe_to_end(job, handle);
    // As after a crash: a child was begun, its number is now that of a process which isn't the job's.
    std::filesystem::remove(bench.run_directory(job) / kEndFile);
    ProcessIdentity stale = identify(::getpid());
    stale.start_time -= 1;
    if (rebooted) stale.boot_id = "another boot";
    std::ofstream(bench.run_directory(job) / kChildFile) << to_text(stale);
    const ports::Observation end = bench.observe(job, handle);
    EXPECT_EQ(end.phase, RunPhase::kEnded);
    EXPECT_EQ(end.reason, domain::EndReason::kLost);
    EXPECT_EQ(end.error,
              rebooted ? "the machine was restarted while the job ran" : "the job's supervisor was killed");
  }
}

TEST(Supervisor, ARunOfGarbageFilesIsLostNotACrash) {
  ShellBench bench;
  const auto job = shell_job("true");
  const std::string handle = bench.start(job).handle;
  bench.observe_to_end(job, handle);
  for (const std::string& text :
       {std::string(), std::string("x"), std::string("waybill end 1\0exited\0x\0", 23)}) {
    std::ofstream(bench.run_directory(job) / kEndFile) << text;
    EXPECT_EQ(bench.observe(job, handle).phase, RunPhase::kEnded);
  }
}

TEST(RunFiles, ComeBackAsTheyWere) {
  RunSpec spec;
  spec.job_id = "a";
  spec.attempt = 3;
  spec.jobs_directory = "/j";
  spec.directory = "a/3";
  spec.log_bytes = 5;
  spec.groups = {1, 2};
  spec.words = {"", "a\nb", "ü"};
  spec.environment = {"A=b=c", "B="};
  const std::optional<RunSpec> back = parse_spec(to_text(spec));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->words, spec.words);
  EXPECT_EQ(back->environment, spec.environment);
  EXPECT_EQ(back->groups, spec.groups);
  EXPECT_EQ(back->attempt, 3);
  const std::string text = to_text(spec);
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(parse_spec(text.substr(0, size))) << size;
  EXPECT_FALSE(parse_spec(text + "x"));
}

}  // namespace
}  // namespace waybill::plugins
