#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "waybill/base/status.h"
#include "waybill/cli/commands/commands.h"
#include "waybill/cli/exit_code.h"
#include "waybill/cli/failure.h"
#include "waybill/cli/fields.h"
#include "waybill/cli/pages.h"
#include "waybill/cli/resources.h"
#include "waybill/cli/session.h"
#include "waybill/cli/text.h"

namespace waybill::cli {
namespace json = boost::json;
namespace {

constexpr std::size_t kMostJobs = 10'000;

// The live jobs that the filters match. Reading them first says which ones they are, whatever happens next.
absl::StatusOr<std::vector<std::string>> matching_jobs(Session& session, const Invocation& invocation) {
  Query query = filter_query(job_filter_flags(), invocation, session.now());
  if (!invocation.has("status")) query.emplace_back("status", "NEW,ACCEPTED,RUNNING");
  std::vector<std::string> ids;
  const auto take = [&](const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      if (!is_final_status(text_of(row.object, "status"))) ids.push_back(text_of(row.object, "id"));
    }
    return absl::OkStatus();
  };
  WB_ASSIGN(const PagesEnd end, read_pages(session.api(), "/jobs", query, kMostJobs, take));
  if (end.more)
    session.note(fmt::format("note: more than {} jobs match: run it again for the rest", kMostJobs));
  return ids;
}

absl::Status print_canceled(Session& session, const std::string& id, const Answer& answer) {
  if (session.form() == OutputForm::kName) return session.print(made_visible(id) + "\n");
  if (!session.is_table()) return session.print_json(answer.text);
  const std::string status = answer.value.is_object() ? text_of(answer.value.get_object(), "status") : "";
  return session.print(made_visible(id) + "  " + session.coloured(status) + "\n");
}

absl::StatusOr<int> cancel(Session& session, const Invocation& invocation) {
  std::vector<std::string> ids = invocation.all("ID");
  const std::vector<Flag> filters = job_filter_flags();
  const bool filtered = std::any_of(filters.begin(), filters.end(),
                                    [&](const Flag& flag) { return invocation.has(flag.name); });
  if (ids.empty() == !filtered) {
    return usage_error(
        filtered ? "cancel takes either ids or filters, not both" : "cancel wants ids or a filter",
        "see waybill cancel --help");
  }
  if (filtered) {
    WB_ASSIGN(ids, matching_jobs(session, invocation));
    if (ids.empty()) session.note("note: no live jobs match");
  }
  int code = kOk;
  for (const std::string& id : ids) {
    if (session.environment().interrupted()) return interrupted_error();
    const absl::StatusOr<Answer> answer = session.api().post("/job/" + url_encoded(id) + "/cancel", "");
    if (answer.ok()) {
      WB_TRY(print_canceled(session, id, *answer));
      continue;
    }
    const bool ended_meanwhile = filtered && answer.status().code() == absl::StatusCode::kFailedPrecondition;
    if (ended_meanwhile) continue;
    const absl::Status failure = ids.size() > 1 ? prefixed(answer.status(), id) : answer.status();
    if (answer.status().code() == absl::StatusCode::kUnavailable) return failure;
    code = report(session.environment(), with_hint(failure, hint_of(answer.status())));
  }
  return code;
}

}  // namespace

Command cancel_command() {
  return client_command(
      {.path = {"cancel"},
       .summary = "cancel jobs",
       .description =
           "Cancels jobs by their ids, or all live jobs that filters match (filters as in list jobs).",
       .arguments = {{.name = "ID", .help = "the jobs", .required = false, .repeats = true}},
       .flags = job_filter_flags(),
       .examples = {{"waybill cancel 01890a5d-ac96-774b-bcce-b302099a8057", "Cancel one job"},
                    {"waybill cancel --mine --status NEW", "Cancel my jobs that still wait"},
                    {"waybill cancel --tags batch:42", "Cancel all that is left of a batch"}}},
      cancel);
}

}  // namespace waybill::cli
