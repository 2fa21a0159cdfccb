#include "waybill/engine/attributes.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <utility>

#include "waybill/api/rest/api.h"
#include "waybill/api/rest/bind.h"
#include "waybill/api/rest/catalog_json.h"
#include "waybill/api/rest/job_json.h"
#include "waybill/base/status.h"

// Previews of attributes, and rendering those of a job anew.
namespace waybill::rest {
namespace {

namespace json = boost::json;

struct PreviewBody {
  std::string cluster;
  std::string command;
  std::string job_id;
  std::optional<json::value> attributes;  // templates of one's own
  Object sample;                          // a job's members, where no job_id is given
  Object outputs;
  bool final = true;
};

absl::StatusOr<PreviewBody> read_preview(const json::object& body) {
  PreviewBody preview;
  Members members;
  members.text("cluster", preview.cluster);
  members.text("command", preview.command);
  members.text("job_id", preview.job_id);
  members.any("attributes", preview.attributes);
  members.object("sample", preview.sample);
  members.object("outputs", preview.outputs);
  members.flag("final", preview.final);
  WB_TRY(members.read(body, nullptr));
  return preview;
}

absl::StatusOr<domain::Outputs> read_outputs(const Object& object) {
  domain::Outputs outputs;
  if (!object) return outputs;
  for (const auto& member : *object) {
    if (!member.value().is_string())
      return invalid(fmt::format("outputs.{}: this is not a string", std::string(member.key())));
    outputs[member.key()] = std::string(member.value().get_string());
  }
  return outputs;
}

// A job that never was, from the members of a sample.
absl::StatusOr<domain::Job> sample_job(const Object& sample, const Call& call, absl::Time now) {
  domain::Job job;
  std::string id = "00000000-0000-7000-8000-000000000000";
  std::string status = "SUCCEEDED";
  job.spec.name = "sample";
  job.spec.user = call.caller.name;
  Words tags;
  std::int64_t created_at = absl::ToUnixSeconds(now);
  std::int64_t updated_at = created_at;
  Members members;
  members.text("id", id);
  members.text("name", job.spec.name);
  members.text("version", job.spec.version);
  members.text("description", job.spec.description);
  members.text("user", job.spec.user);
  members.text("status", status);
  members.text("error", job.state.error);
  members.words("tags", tags);
  members.object("context", job.spec.context);
  members.integer("created_at", created_at);
  members.integer("updated_at", updated_at);
  if (sample) {
    WB_TRY(members.read(*sample, nullptr));
  }
  const auto known = domain::parse_job_status(status);
  if (!known) return invalid(fmt::format("sample.status: \"{}\" is no status of a job", status));
  job.id = JobId(std::move(id));
  job.state.status = *known;
  job.created_at = absl::FromUnixSeconds(created_at);
  job.updated_at = absl::FromUnixSeconds(updated_at);
  if (tags) job.spec.tags = domain::sorted_unique(*std::move(tags));
  return job;
}

// The entries whose contexts and templates count.
struct Entries {
  std::shared_ptr<const domain::Command> command = std::make_shared<domain::Command>();
  std::shared_ptr<const domain::Cluster> cluster = std::make_shared<domain::Cluster>();
};

absl::StatusOr<Entries> find_entries(const Api& api, const std::string& command, const std::string& cluster) {
  const auto catalog = api.services.gateway.catalog();
  Entries entries;
  if (!command.empty()) {
    const auto found = catalog->commands.find(CommandId(command));
    if (found == catalog->commands.end()) return not_found("unknown command_id");
    entries.command = found->second;
  }
  if (!cluster.empty()) {
    const auto found = catalog->clusters.find(ClusterId(cluster));
    if (found == catalog->clusters.end()) return not_found("unknown cluster_id");
    entries.cluster = found->second;
  }
  return entries;
}

// A sample is on its way to the entries that it is rendered with.
void send_to(const Entries& entries, domain::JobRoute& route) {
  route.command_id = entries.command->id;
  route.command_name = entries.command->name;
  route.cluster_id = entries.cluster->id;
  route.cluster_name = entries.cluster->name;
}

struct PreviewInput {
  domain::Job job;
  Entries entries;
  std::vector<domain::AttributeTemplate> command_templates;
  std::vector<domain::AttributeTemplate> cluster_templates;
  domain::Outputs outputs;
  bool final = true;
};

struct Mistake {
  std::string label;
  std::string message;
  std::optional<gotemplate::Position> at;  // of what does not parse
};

struct Preview {
  domain::Attributes attributes;
  std::vector<Mistake> mistakes;
};

// Each template that parses is rendered, whatever the others are.
Preview render_preview(const PreviewInput& input, const Redactor& redactor,
                       const engine::RenderOptions& options) {
  Preview preview;
  std::vector<domain::AttributeTemplate> good[2];
  const std::vector<domain::AttributeTemplate>* given[2] = {&input.command_templates,
                                                            &input.cluster_templates};
  for (int i = 0; i < 2; ++i) {
    for (const domain::AttributeTemplate& source : *given[i]) {
      gotemplate::ParseError mistake;
      const auto parsed = gotemplate::Template::parse(source.label, source.value, &mistake);
      if (parsed.ok()) {
        good[i].push_back(source);
      } else {
        preview.mistakes.push_back({source.label, message(parsed.status()), mistake.at});
      }
    }
  }
  const auto set = engine::AttributeSet::make(good[0], good[1]);
  if (!set.ok()) {
    preview.mistakes.push_back({"", message(set.status()), std::nullopt});
    return preview;
  }
  const gotemplate::Data data = engine::template_data(input.job, *input.entries.command,
                                                      *input.entries.cluster, input.outputs, redactor);
  engine::Rendered rendered = engine::render(**set, data, {}, input.final, options);
  preview.attributes = std::move(rendered.attributes);
  for (auto& [label, text] : rendered.errors)
    preview.mistakes.push_back({label, std::move(text), std::nullopt});
  return preview;
}

std::string preview_json(const Preview& preview) {
  JsonText out;
  out.begin_object();
  out.key("attributes");
  write_attributes(preview.attributes, out);
  out.key("errors");
  out.begin_array();
  for (const Mistake& mistake : preview.mistakes) {
    out.begin_object();
    out.some("label", mistake.label);
    out.some("error", mistake.message);
    if (mistake.at) {
      out.some_number("line", mistake.at->line);
      out.some_number("column", mistake.at->column);
    }
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.take();
}

// A template of one's own reads a job's context: its owner and admins only.
absl::Status may_preview(const PreviewBody& body, const domain::Job& job, const domain::Caller& caller) {
  const bool foreign = job.spec.user != caller.name && !caller.is_admin;
  if (body.job_id.empty() || !body.attributes || !foreign) return absl::OkStatus();
  return denied("templates of your own over this job are for its owner and admins");
}

Task<absl::StatusOr<Reply>> preview(ApiPtr api, CallPtr call) {
  WB_CO_ASSIGN(PreviewBody body, read_preview(call->body.get_object()));
  auto input = std::make_shared<PreviewInput>();
  WB_CO_ASSIGN(input->outputs, read_outputs(body.outputs));
  if (body.job_id.empty()) {
    WB_CO_ASSIGN(input->job, sample_job(body.sample, *call, api->services.clock.now()));
  } else {
    absl::StatusOr<domain::Job> job = co_await visible_job(api, call, JobId(body.job_id));
    WB_CO_ASSIGN(input->job, std::move(job));
    if (body.command.empty()) body.command = input->job.route.command_id.str();
    if (body.cluster.empty()) body.cluster = input->job.route.cluster_id.str();
  }
  WB_CO_TRY(may_preview(body, input->job, call->caller));
  WB_CO_ASSIGN(input->entries, find_entries(*api, body.command, body.cluster));
  if (body.job_id.empty()) send_to(input->entries, input->job.route);
  if (body.attributes && !body.attributes->is_null()) {
    WB_CO_ASSIGN(input->cluster_templates, read_attributes(*body.attributes));
  } else {
    input->command_templates = input->entries.command->attributes;
    input->cluster_templates = input->entries.cluster->attributes;
  }
  input->final = body.final;
  const Preview result = co_await on(api->services.pool, [api, input] {
    return render_preview(*input, api->services.redactor, api->options.render);
  });
  co_return json_reply(preview_json(result));
}

Task<absl::StatusOr<Reply>> render_again(ApiPtr api, CallPtr call) {
  WB_CO_TRY(require_admin(*call));
  Gateway::JobAnswer job =
      co_await api->services.gateway.render_again(JobId(call->params.at(0)), call->caller);
  if (!job.ok() && absl::IsNotFound(job.status())) co_return unknown_job();
  WB_CO_TRY(job);
  co_return json_reply(job_json(*job, JobForm{api->services.redactor}));
}

}  // namespace

void add_attribute_routes(Api& api) {
  api.base.add({Method::kPost, "/attributes/preview", Needs::kCaller, Audit::kDenied, preview});
  api.base.add({Method::kPost, "/job/{id}/attributes/render", Needs::kCaller, Audit::kChanges, render_again});
}

}  // namespace waybill::rest
