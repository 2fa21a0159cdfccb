#include "waybill/template/job_fields.h"

#include <algorithm>
#include <array>

namespace waybill::gotemplate {
namespace {

constexpr std::array<std::string_view, kRootFields> kRootNames = {"Job", "Command", "Cluster", "Outputs"};

constexpr std::array<std::string_view, kJobFields> kJobNames = {"SystemID",
                                                                "ID",
                                                                "Name",
                                                                "Version",
                                                                "Description",
                                                                "User",
                                                                "Tags",
                                                                "Context",
                                                                "CreatedAt",
                                                                "UpdatedAt",
                                                                "Status",
                                                                "IsSync",
                                                                "StoreResultSync",
                                                                "Error",
                                                                "CommandCriteria",
                                                                "ClusterCriteria",
                                                                "CommandID",
                                                                "CommandName",
                                                                "ClusterID",
                                                                "ClusterName",
                                                                "CanceledBy",
                                                                "JobAttributes",
                                                                "Result"};

template <std::size_t size>
int find_name(const std::array<std::string_view, size>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

Value plain_field(const JobView& job, int field) {
  const auto text = [](const std::string& string) { return Value::of(std::string_view(string)); };
  switch (field) {
    case 0:
      return Value::of(job.system_id);
    case 1:
      return text(job.id);
    case 2:
      return text(job.name);
    case 3:
      return text(job.version);
    case 4:
      return text(job.description);
    case 5:
      return text(job.user);
    case 6:
      return Value::of(job.tags);
    case 7:
      return Value::of(job.context, true);
    case 8:
      return Value::of(job.created_at);
    case 9:
      return Value::of(job.updated_at);
    case 10:
      return text(job.status);
    case 11:
      return Value::of(job.is_sync);
    case 12:
      return Value::of(job.store_result_sync);
    case 13:
      return text(job.error);
    case 14:
      return Value::of(job.command_criteria);
    case 15:
      return Value::of(job.cluster_criteria);
    case 16:
      return text(job.command_id);
    case 17:
      return text(job.command_name);
    case 18:
      return text(job.cluster_id);
    case 19:
      return text(job.cluster_name);
    case 20:
      return text(job.canceled_by);
    case 21:
      return Value::of(job.job_attributes, true);
    default:
      return Value::of(job.result, true);
  }
}

// The objects of a job come from JSON.
Value job_field(const JobView& job, int field) {
  Value value = plain_field(job, field);
  const bool container = value.is_list() || value.is_map();
  value.absent = container && value.size == 0 && (job.present_though_empty >> field & 1U) == 0;
  return value;
}

Value root_field(const Data& data, int field) {
  switch (field) {
    case 0:
      return Value::of(data.job);
    case 1:
      return Value::of(data.command, false);
    case 2:
      return Value::of(data.cluster, false);
    default:
      return Value::of(data.outputs);
  }
}

}  // namespace

int find_root_field(std::string_view name) { return find_name(kRootNames, name); }

int find_job_field(std::string_view name) { return find_name(kJobNames, name); }

int field_count(const Value& object) { return object.kind == Kind::kJob ? kJobFields : kRootFields; }

std::string_view field_name(const Value& object, int field) {
  const auto at = static_cast<std::size_t>(field);
  return object.kind == Kind::kJob ? kJobNames[at] : kRootNames[at];
}

Value field_value(const Value& object, int field) {
  return object.kind == Kind::kJob ? job_field(*object.job, field) : root_field(*object.root, field);
}

}  // namespace waybill::gotemplate
