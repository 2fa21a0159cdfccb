#include <absl/time/clock.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "waybill/base/ids.h"
#include "waybill/base/json.h"
#include "waybill/base/status.h"
#include "waybill/base/time.h"
#include "waybill/cli/commands/commands.h"
#include "waybill/cli/exit_code.h"
#include "waybill/cli/failure.h"
#include "waybill/cli/fields.h"
#include "waybill/cli/job_file.h"
#include "waybill/cli/jobs.h"
#include "waybill/cli/session.h"

namespace waybill::cli {
namespace json = boost::json;
namespace {

void say_warnings(Session& session, const json::object& answer) {
  const json::value* warnings = find_member(answer, "warnings");
  if (warnings == nullptr || !warnings->is_array()) return;
  for (const json::value& warning : warnings->get_array()) {
    if (warning.is_string()) session.note("warning: " + std::string(warning.get_string()));
  }
}

// After a submit or rerun: waits and follows if that was asked for, then prints the job.
absl::StatusOr<int> finish(Session& session, const Invocation& invocation, const Answer& submitted) {
  if (!submitted.value.is_object()) return unavailable("the server answered something that is no job");
  const json::object& job = submitted.value.get_object();
  say_warnings(session, job);
  const std::string id = text_of(job, "id");
  const bool follow = invocation.has("follow");
  const bool wait = follow || invocation.has("wait");
  const bool ended = is_final_status(text_of(job, "status"));
  if (!wait || id.empty()) {
    WB_TRY(print_job(session, submitted));
    return ended ? exit_code_of_jobs({submitted}) : kOk;
  }
  if (follow) {
    session.note("job " + id);
    WB_TRY(copy_log(session, id, {.follow = true}));
  }
  WB_ASSIGN(const std::vector<Answer> jobs, wait_for_jobs(session, {id}, {}));
  if (follow) {
    const json::object& last = jobs.front().value.get_object();
    const std::string problem = text_of(last, "error");
    session.note(text_of(last, "status") + (problem.empty() ? "" : ": " + problem));
  } else {
    WB_TRY(print_job(session, ended ? submitted : jobs.front()));
  }
  return exit_code_of_jobs(jobs);
}

absl::StatusOr<std::string> idempotency_key(const Invocation& invocation) {
  if (!invocation.has("idempotency-key")) return IdGenerator().next(absl::Now());
  const std::string key = invocation.text("idempotency-key");
  const bool printable = std::all_of(key.begin(), key.end(), [](char c) { return c > 0x20 && c < 0x7f; });
  if (!key.empty() && key.size() <= 255 && printable) return key;
  return usage_error("--idempotency-key must be 1 to 255 printable characters of ASCII without spaces");
}

absl::StatusOr<int> submit(Session& session, const Invocation& invocation) {
  WB_ASSIGN(const std::string key, idempotency_key(invocation));
  WB_ASSIGN(const json::object body, submit_body(invocation, session.environment()));
  if (find_member(body, "command_criteria") == nullptr) {
    return usage_error("submit wants to know what to run",
                       "name a command's tags with --command, or a file with -f");
  }
  const absl::StatusOr<Answer> answer = session.api().submit("/job", json::serialize(body), key);
  if (answer.status().code() == absl::StatusCode::kCancelled) {
    return with_hint(
        answer.status(),
        fmt::format("the job may run: submit it again with --idempotency-key {} to find it", key));
  }
  WB_TRY(answer);
  return finish(session, invocation, *answer);
}

absl::StatusOr<int> rerun(Session& session, const Invocation& invocation) {
  json::object body;
  if (invocation.has("context")) {
    json::object context;
    WB_TRY(add_context(invocation.all("context"), session.environment(), context));
    body["context"] = std::move(context);
  }
  const std::string path = "/job/" + url_encoded(invocation.text("ID")) + "/rerun";
  WB_ASSIGN(const Answer answer, session.api().post(path, json::serialize(body)));
  return finish(session, invocation, answer);
}

}  // namespace

Command submit_command() {
  return client_command(
      {.path = {"submit"},
       .summary = "submit a job",
       .description =
           "Sends a job with the tags that its command and its cluster must have. The answer is the job as "
           "it was\n"
           "stored; with --wait as it ended. A sync command answers when it is done, with its result.\n"
           "A submit is repeated when the connection breaks; its idempotency key makes sure that it runs "
           "once.",
       .flags =
           {{.name = "command", .value = "CRIT", .help = "a tag that the command must have", .repeats = true},
            {.name = "cluster", .value = "CRIT", .help = "a tag that the cluster must have", .repeats = true},
            {.name = "context",
             .value = "K=V",
             .help = "key=text, key:=JSON, or @file.json: a member of the job's context",
             .repeats = true},
            {.name = "tag", .value = "K:V", .help = "a tag of the job", .repeats = true},
            {.name = "name", .value = "NAME", .help = "the job's name"},
            {.name = "version", .value = "VERSION", .help = "the job's version"},
            {.name = "description", .value = "TEXT", .help = "what the job is for"},
            {.name = "queue", .value = "NAME", .help = "the queue it waits in"},
            {.name = "priority",
             .value = "N",
             .help = "-100 to 100, higher first (above 0 for admins)",
             .type = ValueType::kNumber},
            {.name = "timeout",
             .value = "TIME",
             .help = "how long the job may run, such as 2h",
             .type = ValueType::kDuration},
            {.name = "idempotency-key", .value = "KEY", .help = "instead of one made for this submit"},
            {.name = "file",
             .letter = 'f',
             .value = "FILE",
             .help = "the job as YAML or JSON (- is standard input); flags win over it",
             .type = ValueType::kFile},
            {.name = "wait",
             .letter = 'w',
             .help = "wait until the job has ended; exit 3 if it did not succeed"},
            {.name = "follow", .help = "print its log while it runs, and wait"}},
       .examples = {{"waybill submit --command type:ping --cluster type:localhost", "Run the ping command"},
                    {"waybill submit --command type:shell --cluster type:localhost "
                     "--context 'args:=[\"echo hello\"]' --follow",
                     "Run a shell command and see its output"},
                    {"waybill submit -f job.yaml --tag team:ads --wait -o json",
                     "Run the job of a file and print how it ended"}}},
      submit);
}

Command rerun_command() {
  return client_command(
      {.path = {"rerun"},
       .summary = "submit the same job again",
       .description = "Makes a new job with the same request; --context takes the place of the old context.",
       .arguments = {{.name = "ID", .help = "the job to run again"}},
       .flags = {{.name = "context",
                  .value = "K=V",
                  .help = "key=text, key:=JSON, or @file.json: the new context",
                  .repeats = true},
                 {.name = "wait", .letter = 'w', .help = "wait until the new job has ended"},
                 {.name = "follow", .help = "print its log while it runs, and wait"}},
       .examples = {{"waybill rerun 01890a5d-ac96-774b-bcce-b302099a8057 --follow",
                     "Run a job again and see its log"},
                    {"waybill rerun 01890a5d-ac96-774b-bcce-b302099a8057 --context @context.json",
                     "The same with another context"}}},
      rerun);
}

}  // namespace waybill::cli
