#include "waybill/engine/attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "waybill/base/json.h"
#include "waybill/base/status.h"
#include "waybill/base/utf8.h"
#include "waybill/domain/link.h"

namespace waybill::engine {
namespace json = boost::json;

using domain::Attribute;
using domain::AttributeKind;
using domain::AttributeTemplate;

namespace {

constexpr char kNoValue[] = "<no value>";

// Whether Go's message says that a key of a map is missing, which another rendering may mend.
bool lacks_a_key(const absl::Status& status) {
  return message(status).find("map has no entry for key") != std::string::npos;
}

// An absolute URL that a browser opens: an allowed scheme, "://", a host, and nothing that ends an attribute
// of HTML or a line.
bool is_link(const std::string& value, const std::vector<std::string>& schemes) {
  if (!domain::begins_with_scheme(value, schemes)) return false;
  const std::size_t host = value.find("://") + 3;
  const std::size_t host_end = std::min(value.find_first_of("/?#", host), value.size());
  return host_end > host && value.find_first_of(" \"<>\\^`{|}") == std::string::npos;
}

// One rendering of one attribute: a value, or what is wrong.
struct One {
  std::optional<Attribute> attribute;
  std::string error;
  bool missing = false;  // only a key is: may come later
};

One refused(std::string why) {
  return {.attribute = std::nullopt, .error = std::move(why), .missing = false};
}

One render_one(const AttributeSet::Item& item, const gotemplate::Data& data, const RenderOptions& options) {
  gotemplate::Limits limits;
  limits.steps = options.template_steps;
  limits.output_bytes = options.value_bytes;
  auto text = item.parsed->execute(data, limits);
  if (!text.ok()) {
    return {
        .attribute = std::nullopt, .error = message(text.status()), .missing = lacks_a_key(text.status())};
  }
  if (text->find(kNoValue) != std::string::npos) {
    return {.attribute = std::nullopt,
            .error = "a key that it reads is missing: it renders as <no value>",
            .missing = true};
  }
  if (text->size() > options.value_bytes) {
    return refused(
        fmt::format("its value has {} bytes: at most {} are allowed", text->size(), options.value_bytes));
  }
  if (!is_clean_utf8(*text)) return refused("its value is not UTF-8");
  if (has_control_character(*text)) return refused("its value has a control character, such as a line break");
  One one;
  one.attribute = Attribute{item.source.kind, item.source.show, *std::move(text), item.position};
  if (item.source.kind == AttributeKind::kLink && !is_link(one.attribute->value, options.link_schemes)) {
    one.attribute->kind = AttributeKind::kText;
    one.error = fmt::format("\"{}\" is not a link: it must begin with {}", one.attribute->value,
                            domain::link_beginnings(options.link_schemes));
  }
  return one;
}

json::object context_of(const std::optional<json::object>& context, const Redactor& redactor) {
  return context ? redactor.masked(*context) : json::object();
}

json::object attributes_json(const domain::Attributes& attributes) {
  json::object object;
  for (const auto& [label, attribute] : attributes) {
    json::object one;
    if (attribute.kind != AttributeKind::kUnset) one["kind"] = to_string(attribute.kind);
    one["value"] = attribute.value;
    object[label] = std::move(one);
  }
  return object;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const AttributeSet>> AttributeSet::make(
    const std::vector<AttributeTemplate>& command, const std::vector<AttributeTemplate>& cluster) {
  auto set = std::make_shared<AttributeSet>();
  const auto in_cluster = [&](const AttributeTemplate& of_command) {
    return std::any_of(cluster.begin(), cluster.end(),
                       [&](const AttributeTemplate& other) { return other.label == of_command.label; });
  };
  std::vector<AttributeTemplate> sources;
  std::remove_copy_if(command.begin(), command.end(), std::back_inserter(sources), in_cluster);
  sources.insert(sources.end(), cluster.begin(), cluster.end());
  for (AttributeTemplate& source : sources) {
    gotemplate::ParseError mistake;
    auto parsed = gotemplate::Template::parse(source.label, source.value, &mistake);
    if (!parsed.ok()) {
      return invalid(fmt::format("{}: {}:{}: {}", source.label, mistake.at.line, mistake.at.column,
                                 message(parsed.status())));
    }
    Item item;
    item.source = std::move(source);
    item.parsed = std::make_shared<const gotemplate::Template>(*std::move(parsed));
    item.position = static_cast<int>(set->items_.size());
    set->items_.push_back(std::move(item));
  }
  return std::shared_ptr<const AttributeSet>(std::move(set));
}

Rendered render(const AttributeSet& set, const gotemplate::Data& data, const domain::Attributes& before,
                bool final, const RenderOptions& options) {
  Rendered rendered;
  for (const AttributeSet::Item& item : set.items()) {
    const std::string& label = item.source.label;
    One one = render_one(item, data, options);
    const auto kept = before.find(label);
    const bool in_the_dark = !options.outputs_known && item.source.value.find("Outputs") != std::string::npos;
    if ((one.missing || in_the_dark) && kept != before.end()) {
      Attribute& attribute = rendered.attributes[label];
      attribute = kept->second;
      attribute.show = item.source.show;
      attribute.position = item.position;
      continue;
    }
    if (one.attribute) rendered.attributes[label] = *std::move(one.attribute);
    if (!one.error.empty() && (final || !one.missing)) rendered.errors[label] = std::move(one.error);
  }
  return rendered;
}

gotemplate::Data template_data(const domain::Job& job, const domain::Command& command,
                               const domain::Cluster& cluster, const domain::Outputs& outputs,
                               const Redactor& redactor) {
  gotemplate::Data data;
  gotemplate::JobView& view = data.job;
  view.id = job.id.str();
  view.name = job.spec.name;
  view.version = job.spec.version;
  view.description = job.spec.description;
  view.user = job.spec.user;
  view.tags = domain::with_system_tags(view.id, view.name, view.version, job.spec.tags);
  view.context = context_of(job.spec.context, redactor);
  view.created_at = absl::ToUnixSeconds(job.created_at);
  view.updated_at = absl::ToUnixSeconds(job.updated_at);
  view.status = to_string(job.state.status);
  view.is_sync = job.route.is_sync;
  view.store_result_sync = job.spec.store_result_sync;
  view.error = job.state.error;
  view.command_criteria = job.spec.command_criteria.value_or(std::vector<std::string>());
  view.cluster_criteria = job.spec.cluster_criteria.value_or(std::vector<std::string>());
  view.command_id = job.route.command_id.str();
  view.command_name = job.route.command_name;
  view.cluster_id = job.route.cluster_id.str();
  view.cluster_name = job.route.cluster_name;
  view.canceled_by = job.state.canceled_by;
  view.job_attributes = attributes_json(job.attributes);
  data.command = context_of(command.context, redactor);
  data.cluster = context_of(cluster.context, redactor);
  data.outputs = outputs;
  return data;
}

}  // namespace waybill::engine
