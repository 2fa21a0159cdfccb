#include <fmt/format.h>

#include <boost/json.hpp>
#include <limits>

#include "waybill/base/json.h"
#include "waybill/base/raw_json.h"
#include "waybill/base/status.h"
#include "waybill/cli/commands/commands.h"
#include "waybill/cli/exit_code.h"
#include "waybill/cli/failure.h"
#include "waybill/cli/fields.h"
#include "waybill/cli/pages.h"
#include "waybill/cli/resources.h"
#include "waybill/cli/session.h"
#include "waybill/cli/text.h"
#include "waybill/cli/watch_list.h"

namespace waybill::cli {
namespace json = boost::json;
namespace {

constexpr std::int64_t kDefaultLimit = 101;  // one page

absl::StatusOr<std::size_t> row_limit(const Invocation& invocation) {
  if (invocation.has("all")) return std::numeric_limits<std::size_t>::max();
  const std::int64_t limit = invocation.number("limit", kDefaultLimit);
  if (limit > 0) return static_cast<std::size_t>(limit);
  return usage_error(fmt::format("--limit: {} is not a positive number", limit), "use --all for all rows");
}

// Rows as they come: jsonl and name need no more of a list than one page at a time.
absl::Status print_page(Session& session, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    WB_TRY(session.form() == OutputForm::kName ? session.print(made_visible(text_of(row.object, "id")) + "\n")
                                               : session.print_json(row.text));
  }
  return absl::OkStatus();
}

// One document of all rows, in the API's form of a list.
std::string document(const std::vector<std::string>& rows, const PagesEnd& end) {
  std::string text = "{\"data\":[";
  for (std::size_t i = 0; i < rows.size(); ++i) text += (i == 0 ? "" : ",") + rows[i];
  text += "]";
  if (end.more) text += ",\"has_more\":true";
  if (!end.next_cursor.empty())
    text += ",\"next_cursor\":" + json::serialize(json::string_view(end.next_cursor));
  return text + "}";
}

absl::Status print_list(Session& session, const Resource& resource, const Query& query, std::size_t limit) {
  const bool by_page = session.form() == OutputForm::kJsonl || session.form() == OutputForm::kName;
  std::vector<std::string> texts;
  std::vector<std::vector<std::string>> cells;
  const auto take = [&](const std::vector<Row>& rows) {
    if (by_page) return print_page(session, rows);
    for (const Row& row : rows) {
      if (session.is_table()) {
        cells.push_back(row_of(resource, row.object, session));
      } else {
        texts.emplace_back(row.text);
      }
    }
    return absl::OkStatus();
  };
  WB_ASSIGN(const PagesEnd end, read_pages(session.api(), "/" + resource.plural, query, limit, take));
  if (session.is_table()) {
    WB_TRY(session.print(table_text(shown_columns(resource, session), cells, session.table_style())));
    if (cells.empty()) session.note(fmt::format("note: no {} match", resource.plural));
  } else if (!by_page) {
    WB_TRY(session.print_json(document(texts, end)));
  }
  if (end.more) session.note("note: there are more: use --limit N or --all");
  return absl::OkStatus();
}

absl::StatusOr<int> list(Session& session, const Resource& resource, const Invocation& invocation) {
  WB_ASSIGN(const std::size_t limit, row_limit(invocation));
  Query query = filter_query(resource.filters, invocation, session.now());
  for (const char* name : {"order-by", "direction", "cursor"}) {
    if (!invocation.has(name)) continue;
    query.emplace_back(std::string(name) == "order-by" ? "order_by" : name, invocation.text(name));
  }
  if (invocation.has("watch")) {
    WB_TRY(watch_list(session, resource, std::move(query), limit));
  } else {
    WB_TRY(print_list(session, resource, query, limit));
  }
  return kOk;
}

std::vector<Flag> list_flags(const Resource& resource) {
  std::vector<Flag> flags = resource.filters;
  flags.push_back({.name = "limit",
                   .letter = 'n',
                   .value = "N",
                   .help = "at most so many rows (default 101)",
                   .type = ValueType::kNumber});
  flags.push_back({.name = "all", .letter = 'a', .help = "all rows, however many pages they are"});
  flags.push_back({.name = "cursor", .value = "CURSOR", .help = "go on from the next_cursor of a page"});
  if (resource.singular != "job" && resource.singular != "record") return flags;
  if (resource.singular == "job") {
    flags.push_back({.name = "order-by",
                     .value = "FIELD",
                     .help = "created_at, id, updated_at, name, status or duration",
                     .choices = {"created_at", "id", "updated_at", "name", "status", "duration"}});
  }
  flags.push_back({.name = "direction",
                   .value = "WAY",
                   .help = "asc or desc (default desc)",
                   .choices = {"asc", "desc"}});
  flags.push_back({.name = "watch",
                   .letter = 'w',
                   .help = "stay, and print " + resource.plural + " again when they change"});
  return flags;
}

std::vector<Example> list_examples(const Resource& resource) {
  const std::string base = "waybill list " + resource.plural;
  if (resource.singular == "job") {
    return {{base + " --mine --from 1d", "My jobs of the last day"},
            {base + " --status FAILED,KILLED --tags team:ads --all -o jsonl",
             "All failures of a team, as JSON lines"},
            {base + " --status RUNNING -w", "Watch what runs"}};
  }
  if (resource.singular == "record") {
    return {
        {base + " --project sample --table driver_quality --from 7d", "The runs of a table in the last week"},
        {base + " --status RUNNING -w", "Watch what runs"}};
  }
  return {{base + " --status ACTIVE", "Those that take jobs"}, {base + " -o wide", "With their tags"}};
}

}  // namespace

std::vector<Command> list_commands() {
  std::vector<Command> commands;
  for (const Resource& resource : all_resources()) {
    Command declared{
        .path = {"list", resource.plural},
        .summary = "list " + resource.plural,
        .description = "Filters are those of GET /api/v1/" + resource.plural + "; all of them must match.",
        .flags = list_flags(resource),
        .examples = list_examples(resource)};
    const auto action = [resource](Session& session, const Invocation& invocation) {
      return list(session, resource, invocation);
    };
    commands.push_back(client_command(declared, action));
    if (resource.singular != "record") continue;
    declared.path = {"records"};
    declared.summary = "list the run history";
    declared.examples = {
        {"waybill records --project sample --table driver_quality", "The runs of a table"},
        {"waybill records --status ERROR --from 1d -o wide", "What failed in the last day, and why"},
        {"waybill records --table driver_quality --window-from 2026-07-01 --window-to 2026-07-02",
         "Which runs covered the data of that day"},
        {"waybill records --status PENDING,RUNNING -w", "Watch what is open"}};
    commands.push_back(client_command(declared, action));
  }
  return commands;
}

}  // namespace waybill::cli
