#include <fmt/format.h>

#include <boost/json.hpp>

#include "waybill/base/status.h"
#include "waybill/base/time.h"
#include "waybill/cli/commands/commands.h"
#include "waybill/cli/exit_code.h"
#include "waybill/cli/fields.h"
#include "waybill/cli/jobs.h"
#include "waybill/cli/object_text.h"
#include "waybill/cli/resources.h"
#include "waybill/cli/session.h"
#include "waybill/cli/text.h"

namespace waybill::cli {
namespace json = boost::json;
namespace {

absl::StatusOr<int> logs(Session& session, const Invocation& invocation) {
  LogOptions options;
  if (invocation.has("stderr")) options.stream = "stderr";
  options.attempt = invocation.text("attempt");
  options.follow = invocation.has("follow");
  options.tail = invocation.number("tail", -1);
  if (invocation.has("since")) options.since = time_flag(invocation.text("since"), session.now());
  WB_TRY(copy_log(session, invocation.text("ID"), std::move(options)));
  return kOk;
}

// One job as print_job() does, several as a table.
absl::Status print_jobs(Session& session, const std::vector<Answer>& jobs) {
  if (!session.is_table() || jobs.size() == 1) {
    for (const Answer& job : jobs) {
      WB_TRY(print_job(session, job));
    }
    return absl::OkStatus();
  }
  const Resource resource = jobs_resource();
  std::vector<std::vector<std::string>> rows;
  for (const Answer& job : jobs) {
    if (job.value.is_object()) rows.push_back(row_of(resource, job.value.get_object(), session));
  }
  return session.print(table_text(shown_columns(resource, session), rows, session.table_style()));
}

absl::StatusOr<int> wait(Session& session, const Invocation& invocation) {
  WaitOptions options;
  if (invocation.text("for", "all") == "any") options.until = WaitFor::kAny;
  if (const std::optional<std::string> timeout = invocation.find("timeout")) {
    WB_ASSIGN(options.timeout, parse_duration(*timeout));
  }
  WB_ASSIGN(const std::vector<Answer> jobs, wait_for_jobs(session, invocation.all("ID"), options));
  WB_TRY(print_jobs(session, jobs));
  return exit_code_of_jobs(jobs);
}

absl::StatusOr<int> events(Session& session, const Invocation& invocation) {
  WB_ASSIGN(const Answer answer, session.api().get("/job/" + url_encoded(invocation.text("ID")) + "/events"));
  WB_TRY(print_rows(session, answer, {"at", "from", "to", "reason", "actor", "instance"}));
  return kOk;
}

}  // namespace

std::vector<Command> follow_commands() {
  const std::string id = "01890a5d-ac96-774b-bcce-b302099a8057";
  Command logs_declared{
      .path = {"logs"},
      .summary = "print a job's log",
      .description =
          "Also while the job runs. -f goes on until it has ended, through broken connections and restarts\n"
          "of the server, without a gap. On a terminal colours pass and other escape sequences do not;\n"
          "into a file or pipe every byte goes as it is.",
      .arguments = {{.name = "ID", .help = "the job"}},
      .flags = {{.name = "follow", .letter = 'f', .help = "go on until the job has ended"},
                {.name = "stderr", .help = "the error output instead of the output"},
                {.name = "tail", .value = "N", .help = "only the last N lines", .type = ValueType::kNumber},
                {.name = "since",
                 .value = "TIME",
                 .help = "only lines that begin with this time or a later one (10m: ten minutes ago)",
                 .type = ValueType::kTime},
                {.name = "attempt",
                 .value = "N",
                 .help = "of this attempt, not the last",
                 .type = ValueType::kNumber}},
      .examples = {{"waybill logs " + id + " -f", "Watch a job's output"},
                   {"waybill logs " + id + " --stderr --tail 50", "The last errors"},
                   {"waybill logs " + id + " --since 10m", "What it wrote in the last ten minutes"}}};
  Command wait_declared{
      .path = {"wait"},
      .summary = "wait until jobs have ended",
      .description =
          "Exits with 0 if they succeeded, 3 if one failed, was killed or canceled, 124 after --timeout.",
      .arguments = {{.name = "ID", .help = "the jobs", .repeats = true}},
      .flags =
          {{.name = "for",
            .value = "WHICH",
            .help = "until any or all of them ended",
            .choices = {"any", "all"}},
           {.name = "timeout", .value = "TIME", .help = "give up after this", .type = ValueType::kDuration}},
      .examples = {{"waybill wait " + id + " --timeout 30m", "Wait for a job, half an hour at most"},
                   {"waybill list jobs --tags batch:42 -o name | xargs waybill wait",
                    "Wait for all jobs of a batch"}}};
  Command events_declared{.path = {"events"},
                          .summary = "show what happened to a job, and when",
                          .description = "",
                          .arguments = {{.name = "ID", .help = "the job"}},
                          .examples = {{"waybill events " + id, "The states it went through"},
                                       {"waybill events " + id + " --utc", "The same with times in UTC"}}};
  return {client_command(std::move(logs_declared), logs), client_command(std::move(wait_declared), wait),
          client_command(std::move(events_declared), events)};
}

}  // namespace waybill::cli
