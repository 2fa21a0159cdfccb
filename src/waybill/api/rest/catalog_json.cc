#include "waybill/api/rest/catalog_json.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <utility>

#include "waybill/api/rest/bind.h"
#include "waybill/api/rest/job_request.h"
#include "waybill/base/status.h"
#include "waybill/domain/job.h"
#include "waybill/domain/job_limits.h"

namespace waybill::rest {
namespace json = boost::json;
namespace {

void write_templates(const std::vector<domain::AttributeTemplate>& attributes, JsonText& out) {
  if (attributes.empty()) return;
  out.key("attributes");
  out.begin_object();
  for (const domain::AttributeTemplate& attribute : attributes) {
    out.key(attribute.label);
    out.begin_object();
    out.some("kind", to_string(attribute.kind));
    out.some("value", attribute.value);
    if (attribute.show != domain::AttributeShow::kAlways) out.some("show", to_string(attribute.show));
    out.end_object();
  }
  out.end_object();
}

void write_shared(const std::string& id, const domain::Entry& entry, const Redactor& redactor,
                  JsonText& out) {
  out.key("id");
  out.text(id);
  out.some("name", entry.name);
  out.some("version", entry.version);
  out.some("user", entry.user);
  out.some("description", entry.description);
  out.words("tags", domain::with_system_tags(id, entry.name, entry.version, entry.tags));
  if (entry.context) {
    out.key("context");
    out.value(redactor.masked(*entry.context));
  }
  out.some_number("created_at", absl::ToUnixSeconds(entry.created_at));
  out.some_number("updated_at", absl::ToUnixSeconds(entry.updated_at));
  out.some("status", to_string(entry.status));
  write_templates(entry.attributes, out);
  out.some("origin", to_string(entry.origin));
  out.some("revision", entry.revision);
}

// Members of both kinds; the values that have no place of their own in an Entry.
struct Shared {
  std::string status;
  Words tags;
  Object context;
  std::optional<json::value> attributes;
};

void add_shared(Members& members, domain::Entry& entry, Shared& shared) {
  members.text("name", entry.name);
  members.text("version", entry.version);
  members.text("description", entry.description);
  members.text("status", shared.status);
  members.words("tags", shared.tags);
  members.object("context", shared.context);
  members.any("attributes", shared.attributes);
  for (const char* name : {"id", "user", "origin", "revision"})
    members.ignored(name, Members::Ignored::kText);
  for (const char* name : {"created_at", "updated_at"}) members.ignored(name, Members::Ignored::kInteger);
}

absl::StatusOr<domain::EntryStatus> parse_status(const std::string& word) {
  const auto status = domain::parse_entry_status(word);
  if (!status) return invalid(fmt::format("status: \"{}\" is not one of active, inactive, deleted", word));
  return *status;
}

absl::Status keep_shared(domain::Entry& entry, Shared shared) {
  if (!shared.status.empty()) {
    WB_ASSIGN(entry.status, parse_status(shared.status));
  }
  if (shared.tags) {
    // System tags that came back with an entry that was read before are the server's.
    for (std::string& tag : *shared.tags) {
      const bool system =
          tag.starts_with("_id:") || tag.starts_with("_name:") || tag.starts_with("_version:");
      if (!system) entry.tags.push_back(std::move(tag));
    }
  }
  entry.context = std::move(shared.context);
  if (shared.attributes && !shared.attributes->is_null()) {
    WB_ASSIGN(entry.attributes, read_attributes(*shared.attributes));
  }
  return absl::OkStatus();
}

absl::StatusOr<domain::AttributeTemplate> read_attribute(std::string label, const json::value& value) {
  const std::string where = "attributes." + label;
  if (!value.is_object()) return invalid(where + ": this is not an object with kind and value");
  domain::AttributeTemplate attribute;
  std::string kind;
  std::string show;
  std::string own_label;
  Members members;
  members.text("label", own_label);
  members.text("kind", kind);
  members.text("value", attribute.value);
  members.text("show", show);
  const absl::Status read = members.read(value.get_object(), nullptr);
  if (!read.ok()) return invalid(fmt::format("{}.{}", where, message(read)));
  const auto known_kind = domain::parse_attribute_kind(kind);
  if (!known_kind) return invalid(fmt::format("{}.kind: \"{}\" is not a kind (link or text)", where, kind));
  const auto known_show = show.empty() ? domain::AttributeShow::kAlways : domain::parse_attribute_show(show);
  if (!known_show) {
    return invalid(
        fmt::format("{}.show: \"{}\" is not one of always, running, finished, failed", where, show));
  }
  attribute.label = label.empty() ? std::move(own_label) : std::move(label);
  if (attribute.label.empty()) return invalid("attributes: an attribute has no label");
  attribute.kind = *known_kind;
  attribute.show = *known_show;
  return attribute;
}

}  // namespace

absl::StatusOr<std::vector<domain::AttributeTemplate>> read_attributes(const json::value& value) {
  std::vector<domain::AttributeTemplate> attributes;
  if (const json::array* list = value.if_array()) {
    for (const json::value& item : *list) {
      WB_ASSIGN(domain::AttributeTemplate attribute, read_attribute("", item));
      attributes.push_back(std::move(attribute));
    }
    return attributes;
  }
  if (!value.is_object()) return invalid("attributes: this is not an object of labels");
  for (const auto& member : value.get_object()) {
    if (member.key().empty()) return invalid("attributes: an attribute has no label");
    WB_ASSIGN(domain::AttributeTemplate attribute, read_attribute(std::string(member.key()), member.value()));
    attributes.push_back(std::move(attribute));
  }
  return attributes;
}

void write_entry(const domain::Command& command, const Redactor& redactor, JsonText& out) {
  out.begin_object();
  write_shared(command.id.str(), command, redactor, out);
  out.some("plugin", command.plugin);
  out.some_flag("is_sync", command.is_sync);
  out.some_flag("store_result_sync", command.store_result_sync);
  out.words("cluster_tags", command.cluster_tags);
  if (!command.allowed_callers.empty()) out.words("allowed_callers", command.allowed_callers);
  if (!command.locked_context.empty()) out.words("locked_context", command.locked_context);
  if (command.timeout > absl::ZeroDuration()) {
    out.key("timeout_seconds");
    out.real(absl::ToDoubleSeconds(command.timeout));
  }
  if (command.max_attempts > 1) out.some_number("max_attempts", command.max_attempts);
  out.end_object();
}

void write_entry(const domain::Cluster& cluster, const Redactor& redactor, JsonText& out) {
  out.begin_object();
  write_shared(cluster.id.str(), cluster, redactor, out);
  out.some_flag("health_check", cluster.health_check);
  out.key("weight");
  out.real(cluster.weight);
  if (!cluster.rbacs.empty()) out.words("rbacs", cluster.rbacs);
  out.end_object();
}

std::string entry_status_json(const domain::Entry& entry) {
  JsonText out;
  out.begin_object();
  out.some("status", to_string(entry.status));
  out.some_number("updated_at", absl::ToUnixSeconds(entry.updated_at));
  out.end_object();
  return out.take();
}

absl::StatusOr<domain::Command> read_command(const json::object& body, const Query& query,
                                             std::vector<std::string>& warnings) {
  domain::Command command;
  Shared shared;
  Words cluster_tags;
  Words allowed_callers;
  Words locked_context;
  double timeout = 0;
  std::int64_t max_attempts = 1;
  Members members;
  add_shared(members, command, shared);
  members.text("plugin", command.plugin);
  members.flag("is_sync", command.is_sync);
  members.flag("store_result_sync", command.store_result_sync);
  members.words("cluster_tags", cluster_tags);
  members.words("allowed_callers", allowed_callers);
  members.words("locked_context", locked_context);
  members.real("timeout_seconds", timeout);
  members.integer("max_attempts", max_attempts);
  WB_TRY(members.read(body, &query));
  WB_TRY(keep_shared(command, std::move(shared)));
  WB_TRY(check_timeout(timeout));
  if (max_attempts < 1 || max_attempts > domain::kMostAttempts) {
    return invalid(
        fmt::format("max_attempts: {} is not between 1 and {}", max_attempts, domain::kMostAttempts));
  }
  if (cluster_tags) command.cluster_tags = *std::move(cluster_tags);
  if (allowed_callers) command.allowed_callers = *std::move(allowed_callers);
  if (locked_context) command.locked_context = *std::move(locked_context);
  command.timeout = absl::Seconds(timeout);
  command.max_attempts = static_cast<int>(max_attempts);
  warnings = members.warnings();
  return command;
}

absl::StatusOr<domain::Cluster> read_cluster(const json::object& body, const Query& query,
                                             std::vector<std::string>& warnings) {
  domain::Cluster cluster;
  Shared shared;
  Words rbacs;
  Members members;
  add_shared(members, cluster, shared);
  members.flag("health_check", cluster.health_check);
  members.real("weight", cluster.weight);
  members.words("rbacs", rbacs);
  WB_TRY(members.read(body, &query));
  WB_TRY(keep_shared(cluster, std::move(shared)));
  if (!(cluster.weight >= 0 && cluster.weight <= 1e6))
    return invalid(fmt::format("weight: {} is not between 0 and 1000000", cluster.weight));
  if (rbacs) cluster.rbacs = *std::move(rbacs);
  warnings = members.warnings();
  return cluster;
}

absl::StatusOr<domain::EntryStatus> read_entry_status(const json::object& body, const Query& query) {
  std::string word;
  Members members;
  members.text("status", word);
  WB_TRY(members.read(body, &query));
  return parse_status(word);
}

}  // namespace waybill::rest
