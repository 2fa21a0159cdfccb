#include "waybill/engine/catalog_checks.h"

#include <absl/strings/ascii.h>
#include <fmt/format.h>
#include <re2/re2.h>

#include <boost/json.hpp>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "waybill/base/redact.h"
#include "waybill/base/secret.h"
#include "waybill/base/status.h"
#include "waybill/base/utf8.h"
#include "waybill/domain/attribute_limits.h"
#include "waybill/domain/job.h"
#include "waybill/domain/link.h"
#include "waybill/domain/matching.h"
#include "waybill/engine/attributes.h"
#include "waybill/engine/context_checks.h"
#include "waybill/engine/limits.h"

namespace waybill::engine {
namespace {

// A link that shows in its text alone that it can't be one.
absl::Status check_link(const domain::AttributeTemplate& attribute, std::string_view leading,
                        const std::vector<std::string>& schemes) {
  if (leading.empty() || domain::begins_with_scheme(leading, schemes)) return absl::OkStatus();
  return invalid(fmt::format("attributes.{}.value: \"{}\" is not a link: it must begin with {}",
                             attribute.label, leading, domain::link_beginnings(schemes)));
}

absl::Status check_one_line(std::string_view member, std::string_view text) {
  if (!has_control_character(text)) return absl::OkStatus();
  return invalid(fmt::format("{} has a control character, such as a line break", member));
}

absl::Status check_attributes(const domain::Entry& entry, const EngineOptions& options) {
  if (entry.attributes.size() > domain::kMostAttributes) {
    return invalid(fmt::format("attributes: there are {}: at most {} are allowed", entry.attributes.size(),
                               domain::kMostAttributes));
  }
  for (const domain::AttributeTemplate& attribute : entry.attributes) {
    WB_TRY(check_text("the label of an attribute", attribute.label, options.name_bytes));
    if (attribute.label.empty()) return invalid("attributes: a label is empty");
    WB_TRY(check_one_line(fmt::format("attributes: the label \"{}\"", attribute.label), attribute.label));
    WB_TRY(check_text("the value of an attribute", attribute.value, domain::kMostTemplateBytes));
  }
  const auto parsed = AttributeSet::make({}, entry.attributes);
  if (!parsed.ok()) return prefixed(parsed.status(), "attributes");
  for (const AttributeSet::Item& item : (*parsed)->items()) {
    if (item.source.kind != domain::AttributeKind::kLink) continue;
    WB_TRY(check_link(item.source, item.parsed->leading_text(), options.render.link_schemes));
  }
  return absl::OkStatus();
}

// What GET answers in place of a secret is never one: stored, it would silently replace the secret by three
// stars.
absl::Status check_no_mask(const std::string& path, const boost::json::value& value) {
  if (value.is_string() && value.get_string() == kSecretMask) {
    return invalid(fmt::format(
        R"({} is "{}", which only stands for a secret: send the secret itself, or PUT the status alone)",
        path, kSecretMask));
  }
  if (const boost::json::object* object = value.if_object()) {
    for (const auto& member : *object) {
      WB_TRY(check_no_mask(path + '.' + std::string(member.key()), member.value()));
    }
  } else if (const boost::json::array* array = value.if_array()) {
    for (std::size_t i = 0; i < array->size(); ++i) {
      WB_TRY(check_no_mask(fmt::format("{}[{}]", path, i), (*array)[i]));
    }
  }
  return absl::OkStatus();
}

absl::Status check_entry(const domain::Entry& entry, const std::string& id, const EngineOptions& options) {
  if (id.empty()) return invalid("id is empty: an entry needs one");
  WB_TRY(check_text("id", id, options.name_bytes));
  if (entry.name.empty()) return invalid("name is missing: an entry needs one");
  WB_TRY(check_text("name", entry.name, options.name_bytes));
  WB_TRY(check_text("version", entry.version, options.name_bytes));
  for (const auto& [member, text] : {std::pair<std::string_view, std::string_view>("id", id),
                                     {"name", entry.name},
                                     {"version", entry.version}}) {
    WB_TRY(check_one_line(member, text));
  }
  WB_TRY(check_words("tags", entry.tags, options));
  if (entry.context) {
    WB_TRY(check_context_depth(*entry.context, options.context_depth));
    if (holds_secret_reference(boost::json::value(*entry.context))) {
      return invalid("context: \"$secret\" is for the config file only");
    }
    WB_TRY(check_no_mask("context", boost::json::value(*entry.context)));
  }
  return check_attributes(entry, options);
}

}  // namespace

absl::Status check_command(const domain::Command& command, const EngineOptions& options,
                           const ports::Executors& executors) {
  WB_TRY(check_entry(command, command.id.str(), options));
  const auto executor = executors.find(command.plugin);
  if (executor == executors.end()) {
    std::vector<std::string> known;
    for (const auto& [name, unused] : executors) known.push_back(name);
    return invalid(fmt::format("plugin \"{}\" is not known: it must be one of {}", command.plugin,
                               fmt::join(known, ", ")));
  }
  WB_TRY(check_words("cluster_tags", command.cluster_tags, options));
  for (const std::string& pattern : command.allowed_callers) {
    if (absl::StripAsciiWhitespace(pattern).empty()) {
      return invalid("allowed_callers: a pattern is empty: nobody has such a name");
    }
    const RE2 expression(pattern, RE2::Quiet);
    if (expression.ok()) continue;
    return invalid(fmt::format("allowed_callers: \"{}\" is not a pattern: {}", pattern, expression.error()));
  }
  WB_TRY(check_runs(command.timeout, command.max_attempts));
  if (!command.context) return absl::OkStatus();
  return check_context(*command.context, executor->second->traits(), ports::ContextLevel::kCommand, {});
}

absl::Status check_cluster(const domain::Cluster& cluster, const EngineOptions& options,
                           const ports::Executors& executors, const domain::Catalog& catalog) {
  WB_TRY(check_entry(cluster, cluster.id.str(), options));
  if (!std::isfinite(cluster.weight) || cluster.weight < 0) {
    return invalid(fmt::format("weight is {}: it must be 0 or more", cluster.weight));
  }
  if (!cluster.context) return absl::OkStatus();
  domain::Cluster sorted = cluster;
  sorted.tags = domain::sorted_unique(std::move(sorted.tags));
  for (const auto& [id, command] : catalog.commands) {
    const auto executor = executors.find(command->plugin);
    if (executor == executors.end() || !domain::may_meet(*command, sorted)) continue;
    WB_TRY(check_cluster_context(*cluster.context, executor->second->traits()));
  }
  return absl::OkStatus();
}

}  // namespace waybill::engine
