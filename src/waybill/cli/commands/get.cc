#include <boost/json.hpp>

#include "waybill/base/raw_json.h"
#include "waybill/base/status.h"
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

absl::StatusOr<int> get_result(Session& session, const std::string& id) {
  WB_ASSIGN(const Answer answer, session.api().get("/job/" + url_encoded(id) + "/result"));
  if (!session.is_table() || !answer.value.is_object()) {
    WB_TRY(session.print_json(answer.text));
    return kOk;
  }
  WB_TRY(session.print(result_text(answer.value.get_object(), session)));
  return kOk;
}

// The manifest of a run as the server writes it: YAML, or JSON with -o json.
absl::StatusOr<int> get_manifest(Session& session, const std::string& id) {
  WB_ASSIGN(const Answer answer, session.api().get("/record/" + url_encoded(id) + "/manifest?format=json"));
  if (session.form() == OutputForm::kJson || session.form() == OutputForm::kJsonl) {
    WB_TRY(session.print_json(answer.text));
  } else {
    WB_TRY(session.print(json_for_terminal(yaml_text(answer.text))));
  }
  return kOk;
}

absl::StatusOr<int> get(Session& session, const Resource& resource, const Invocation& invocation) {
  const std::string id = invocation.text("ID");
  if (invocation.has("result")) return get_result(session, id);
  if (invocation.has("manifest")) return get_manifest(session, id);
  WB_ASSIGN(const Answer answer, session.api().get("/" + resource.singular + "/" + url_encoded(id)));
  if (resource.singular == "job") {
    WB_TRY(print_job(session, answer));
    return kOk;
  }
  WB_TRY(print_object(session, answer));
  return kOk;
}

}  // namespace

std::vector<Command> get_commands() {
  std::vector<Command> commands;
  for (const Resource& resource : all_resources()) {
    const std::string& kind = resource.singular;
    Command declared{
        .path = {"get", kind},
        .summary = "show one " + kind,
        .description = "",
        .arguments = {{.name = "ID", .help = "the " + kind + "'s id"}},
        .examples = {{"waybill get " + kind + " ID", "Show a " + kind},
                     {"waybill get " + kind + " ID -o json", "Everything that the API says of it"}}};
    if (kind == "job") {
      declared.flags = {{.name = "result", .help = "the job's result instead of the job"}};
      declared.examples.push_back({"waybill get job ID --result -o json", "What the job answered"});
    }
    if (kind == "record") {
      declared.flags = {{.name = "manifest", .help = "the run's manifest instead of the run"}};
      declared.examples.push_back({"waybill get record ID --manifest", "What was submitted, as YAML"});
    }
    commands.push_back(
        client_command(std::move(declared), [resource](Session& session, const Invocation& invocation) {
          return get(session, resource, invocation);
        }));
  }
  return commands;
}

}  // namespace waybill::cli
