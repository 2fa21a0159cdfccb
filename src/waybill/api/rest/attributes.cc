#include "waybill/engine/attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <utility>

#include "waybill/api/rest/api.h"
#include "waybill/api/rest/bind.h"
#include "waybill/api/rest/catalog_json.h"
#include "waybill/api/rest/job_json.h"
#include "waybill/base/status.h"
#include "waybill/domain/attribute_limits.h"

// Previews of attributes, and rendering those of a job anew.
namespace waybill::rest {
namespace {

namespace json = boost::json;

struct PreviewBody {
  std::string cluster;
  std::string command;
  std::string job_id;
  std::optional<json::value> attributes;  // templates of one's own
  Object command_context;                 // contexts of one's own, in place of the entries'
  Object cluster_context;
  Object sample;   // a job's members, where no job_id is given
  Object outputs;  // over those that were kept of the job
  bool final = true;
};

absl::StatusOr<PreviewBody> read_preview(const json::object& body) {
  PreviewBody preview;
  Members members;
  members.text("cluster", preview.cluster);
  members.text("command", preview.command);
  members.text("job_id", preview.job_id);
  members.any("attributes", preview.attributes);
  members.object("command_context", preview.command_context);
  members.object("cluster_context", preview.cluster_context);
  members.object("sample", preview.sample);
  members.object("outputs", preview.outputs);
  members.flag("final", preview.final);
  WB_TRY(members.read(body, nullptr));
  return preview;
}

absl::Status read_outputs(const Object& object, domain::Outputs& outputs) {
  if (!object) return absl::OkStatus();
  for (const auto& member : *object) {
    if (!member.value().is_string())
      return invalid(fmt::format("outputs.{}: this is not a string", std::string(member.key())));
    outputs[member.key()] = std::string(member.value().get_string());
  }
  return absl::OkStatus();
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

// The entry of that id, or else of that name. One that this server has not may be previewed too where its
// context is given.
template <class Entry, class Entries>
absl::StatusOr<std::shared_ptr<const Entry>> find_entry(const Entries& entries, const std::string& id,
                                                        const Object& context, std::string_view unknown) {
  auto found = entries.find(decltype(Entry::id)(id));
  if (found == entries.end()) {
    found =
        std::find_if(entries.begin(), entries.end(), [&](const auto& one) { return one.second->name == id; });
  }
  if (id.empty() || found == entries.end()) {
    if (!id.empty() && !context) return not_found(unknown);
    auto entry = std::make_shared<Entry>();
    entry->id = decltype(Entry::id)(id);
    entry->name = id;
    entry->context = context;
    return std::shared_ptr<const Entry>(std::move(entry));
  }
  if (!context) return found->second;
  auto entry = std::make_shared<Entry>(*found->second);
  entry->context = context;
  return std::shared_ptr<const Entry>(std::move(entry));
}

absl::StatusOr<Entries> find_entries(const Api& api, const PreviewBody& body) {
  const auto catalog = api.services.gateway.catalog();
  Entries entries;
  WB_ASSIGN(entries.command, find_entry<domain::Command>(catalog->commands, body.command,
                                                         body.command_context, "unknown command_id"));
  WB_ASSIGN(entries.cluster, find_entry<domain::Cluster>(catalog->clusters, body.cluster,
                                                         body.cluster_context, "unknown cluster_id"));
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

// Whose template does not parse is left out and told, whatever the others are.
std::vector<domain::AttributeTemplate> that_parse(const std::vector<domain::AttributeTemplate>& all,
                                                  std::vector<Mistake>& mistakes) {
  std::vector<domain::AttributeTemplate> good;
  for (const domain::AttributeTemplate& source : all) {
    gotemplate::ParseError mistake;
    const auto parsed = gotemplate::Template::parse(source.label, source.value, &mistake);
    if (parsed.ok()) {
      good.push_back(source);
    } else {
      mistakes.push_back({source.label, message(parsed.status()), mistake.at});
    }
  }
  return good;
}

// Where a template failed, as its message says: "template: LABEL:LINE:COL: …" with bytes from 0.
std::optional<gotemplate::Position> place_of(const std::string& label, const std::string& text) {
  const std::string start = "template: " + label + ":";
  if (!text.starts_with(start)) return std::nullopt;
  const char* end = text.data() + text.size();
  gotemplate::Position at;
  const auto line = std::from_chars(text.data() + start.size(), end, at.line);
  if (line.ec != std::errc() || line.ptr == end || *line.ptr != ':') return std::nullopt;
  const auto column = std::from_chars(line.ptr + 1, end, at.column);
  if (column.ec != std::errc()) return std::nullopt;
  ++at.column;
  return at;
}

Preview render_preview(const PreviewInput& input, const Redactor& redactor,
                       const engine::RenderOptions& options) {
  Preview preview;
  const auto set = engine::AttributeSet::make(that_parse(input.command_templates, preview.mistakes),
                                              that_parse(input.cluster_templates, preview.mistakes));
  if (!set.ok()) {
    preview.mistakes.push_back({"", message(set.status()), std::nullopt});
    return preview;
  }
  const gotemplate::Data data = engine::template_data(input.job, *input.entries.command,
                                                      *input.entries.cluster, input.outputs, redactor);
  engine::Rendered rendered = engine::render(**set, data, {}, input.final, options);
  preview.attributes = std::move(rendered.attributes);
  for (auto& [label, text] : rendered.errors) {
    const auto at = place_of(label, text);
    preview.mistakes.push_back({label, std::move(text), at});
  }
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

// As many and as long as a config may have.
absl::Status check_templates(const std::vector<domain::AttributeTemplate>& templates) {
  if (templates.size() > domain::kMostAttributes) {
    return invalid(fmt::format("attributes: there are {}: at most {} are allowed", templates.size(),
                               domain::kMostAttributes));
  }
  for (const domain::AttributeTemplate& one : templates) {
    if (one.value.size() <= domain::kMostTemplateBytes) continue;
    return invalid(fmt::format("attributes.{}.value: the template has {} bytes: at most {} are allowed",
                               one.label, one.value.size(), domain::kMostTemplateBytes));
  }
  return absl::OkStatus();
}

// A template of one's own reads a job's context and outputs: its owner and admins only.
absl::Status may_preview(const PreviewBody& body, const domain::Job& job, const domain::Caller& caller) {
  const bool foreign = job.spec.user != caller.name && !caller.is_admin;
  if (body.job_id.empty() || !body.attributes || !foreign) return absl::OkStatus();
  return denied("templates of your own over this job are for its owner and admins");
}

// The job that is rendered, and what was kept of its outputs. A sample is sent to the entries of the body.
Task<absl::Status> take_job(ApiPtr api, CallPtr call, std::shared_ptr<PreviewBody> body,
                            std::shared_ptr<PreviewInput> input) {
  if (body->job_id.empty()) {
    WB_CO_ASSIGN(input->job, sample_job(body->sample, *call, api->services.clock.now()));
    co_return absl::OkStatus();
  }
  const JobId id(body->job_id);
  absl::StatusOr<domain::Job> job = co_await visible_job(api, call, id);
  WB_CO_ASSIGN(input->job, std::move(job));
  if (body->command.empty()) body->command = input->job.route.command_id.str();
  if (body->cluster.empty()) body->cluster = input->job.route.cluster_id.str();
  absl::StatusOr<domain::Outputs> kept = co_await api->services.jobs.kept_outputs(id);
  if (absl::IsNotFound(kept.status())) co_return absl::OkStatus();
  WB_CO_ASSIGN(input->outputs, std::move(kept));
  co_return absl::OkStatus();
}

Task<absl::StatusOr<Reply>> preview(ApiPtr api, CallPtr call) {
  auto body = std::make_shared<PreviewBody>();
  WB_CO_ASSIGN(*body, read_preview(call->body.get_object()));
  auto input = std::make_shared<PreviewInput>();
  const absl::Status taken = co_await take_job(api, call, body, input);
  WB_CO_TRY(taken);
  WB_CO_TRY(read_outputs(body->outputs, input->outputs));
  WB_CO_TRY(may_preview(*body, input->job, call->caller));
  WB_CO_ASSIGN(input->entries, find_entries(*api, *body));
  if (body->job_id.empty()) send_to(input->entries, input->job.route);
  if (body->attributes && !body->attributes->is_null()) {
    WB_CO_ASSIGN(input->cluster_templates, read_attributes(*body->attributes));
    WB_CO_TRY(check_templates(input->cluster_templates));
  } else {
    input->command_templates = input->entries.command->attributes;
    input->cluster_templates = input->entries.cluster->attributes;
  }
  input->final = body->final;
  const Preview result = co_await on(api->services.previews, [api, input] {
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
