#include "waybill/template/vector_data.h"

#include <absl/strings/escaping.h>
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <limits>

#include "waybill/base/status.h"
#include "waybill/template/job_fields.h"

namespace waybill::gotemplate {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostDepth = 200;

std::string_view view(json::string_view text) { return {text.data(), text.size()}; }

// The only member of an object that stands for what JSON can't hold, or nullptr.
const json::value* marked(const json::value& value, std::string_view mark) {
  if (!value.is_object() || value.get_object().size() != 1) return nullptr;
  return value.get_object().if_contains(json::string_view(mark.data(), mark.size()));
}

absl::StatusOr<json::value> plain(const json::value& value);

absl::StatusOr<json::value> plain_number(const json::value& mark) {
  if (!mark.is_string()) return invalid("$float and $uint64 stand before a string");
  const std::string_view text = view(mark.get_string());
  if (text == "NaN") return json::value(std::numeric_limits<double>::quiet_NaN());
  if (text == "+Inf") return json::value(std::numeric_limits<double>::infinity());
  if (text == "-Inf") return json::value(-std::numeric_limits<double>::infinity());
  std::uint64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size()) {
    return invalid(fmt::format("\"{}\" is no unsigned integer, NaN, +Inf or -Inf", text));
  }
  return json::value(number);
}

// A value without marks.
absl::StatusOr<json::value> plain(const json::value& value) {
  if (marked(value, "$b64") != nullptr) {
    WB_ASSIGN(const std::string text, text_of(value));
    return json::value(json::string(text.data(), text.size()));
  }
  for (const std::string_view mark : {"$float", "$uint64"}) {
    if (const auto* number = marked(value, mark)) return plain_number(*number);
  }
  if (value.is_array()) {
    json::array array;
    for (const json::value& element : value.get_array()) {
      WB_ASSIGN(json::value element_value, plain(element));
      array.push_back(std::move(element_value));
    }
    return json::value(std::move(array));
  }
  if (value.is_object()) {
    json::object object;
    for (const auto& member : value.get_object()) {
      WB_ASSIGN(json::value member_value, plain(member.value()));
      object[member.key()] = std::move(member_value);
    }
    return json::value(std::move(object));
  }
  return value;
}

absl::StatusOr<json::object> plain_object(const json::value& value, std::string_view name) {
  WB_ASSIGN(json::value object, plain(value));
  if (!object.is_object()) return invalid(fmt::format("{} must be an object", name));
  return std::move(object.get_object());
}

absl::Status read(const json::value& value, std::string_view name, std::string& into) {
  auto text = text_of(value);
  if (!text.ok()) return invalid(fmt::format("{} must be a string", name));
  into = *std::move(text);
  return absl::OkStatus();
}

absl::Status read(const json::value& value, std::string_view name, std::int64_t& into) {
  if (!value.is_int64()) return invalid(fmt::format("{} must be an integer", name));
  into = value.get_int64();
  return absl::OkStatus();
}

absl::Status read(const json::value& value, std::string_view name, bool& into) {
  if (!value.is_bool()) return invalid(fmt::format("{} must be true or false", name));
  into = value.get_bool();
  return absl::OkStatus();
}

absl::Status read(const json::value& value, std::string_view name, std::vector<std::string>& into) {
  if (value.is_null()) return absl::OkStatus();
  if (!value.is_array()) return invalid(fmt::format("{} must be an array of strings", name));
  for (const json::value& element : value.get_array()) {
    WB_TRY(read(element, name, into.emplace_back()));
  }
  return absl::OkStatus();
}

absl::Status read(const json::value& value, std::string_view name, json::object& into) {
  if (value.is_null()) return absl::OkStatus();
  WB_ASSIGN(into, plain_object(value, name));
  return absl::OkStatus();
}

// Calls `use` with the member of a job that has a name; false if there is none.
template <class Use>
bool with_job_member(JobView& job, std::string_view name, Use use) {
  // Strings first, then by type, each with the name of its field.
  const std::pair<std::string_view, std::string*> strings[] = {
      {"ID", &job.id},
      {"Name", &job.name},
      {"Version", &job.version},
      {"Description", &job.description},
      {"User", &job.user},
      {"Status", &job.status},
      {"Error", &job.error},
      {"CommandID", &job.command_id},
      {"CommandName", &job.command_name},
      {"ClusterID", &job.cluster_id},
      {"ClusterName", &job.cluster_name},
      {"CanceledBy", &job.canceled_by},
  };
  for (const auto& [field, member] : strings) {
    if (name == field) return use(*member), true;
  }
  if (name == "SystemID") return use(job.system_id), true;
  if (name == "CreatedAt") return use(job.created_at), true;
  if (name == "UpdatedAt") return use(job.updated_at), true;
  if (name == "IsSync") return use(job.is_sync), true;
  if (name == "StoreResultSync") return use(job.store_result_sync), true;
  if (name == "Tags") return use(job.tags), true;
  if (name == "CommandCriteria") return use(job.command_criteria), true;
  if (name == "ClusterCriteria") return use(job.cluster_criteria), true;
  if (name == "Context") return use(job.context), true;
  if (name == "JobAttributes") return use(job.job_attributes), true;
  if (name == "Result") return use(job.result), true;
  return false;
}

absl::Status read_job(const json::value& value, JobView& job) {
  if (!value.is_object()) return invalid("Job must be an object");
  for (const auto& member : value.get_object()) {
    const std::string_view name = view(member.key());
    const std::string path = fmt::format("Job.{}", name);
    absl::Status status;
    const bool known =
        with_job_member(job, name, [&](auto& target) { status = read(member.value(), path, target); });
    if (!known) return invalid(fmt::format("{} is no field of a job", path));
    WB_TRY(status);
    if (!member.value().is_null()) job.present_though_empty |= std::uint32_t{1} << find_job_field(name);
  }
  return absl::OkStatus();
}

absl::Status read_outputs(const json::value& value, domain::Outputs& outputs) {
  if (!value.is_object()) return invalid("Outputs must be an object");
  for (const auto& member : value.get_object()) {
    WB_TRY(read(member.value(), fmt::format("Outputs.{}", view(member.key())),
                outputs[std::string(view(member.key()))]));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<json::value> parse_vector_json(std::string_view text) {
  json::parse_options options;
  options.max_depth = kMostDepth;
  json::error_code code;
  json::value value = json::parse(json::string_view(text.data(), text.size()), code, {}, options);
  if (code) return invalid(fmt::format("not JSON: {}", code.message()));
  return value;
}

absl::StatusOr<std::string> text_of(const json::value& value) {
  if (value.is_string()) return std::string(view(value.get_string()));
  const json::value* encoded = marked(value, "$b64");
  if (encoded == nullptr || !encoded->is_string()) return invalid("expected a string");
  std::string text;
  if (!absl::Base64Unescape(std::string(view(encoded->get_string())), &text))
    return invalid("$b64 is no base64");
  return text;
}

absl::StatusOr<Data> data_from_value(const json::value& value) {
  if (!value.is_object()) return invalid("data must be an object of Job, Command, Cluster and Outputs");
  Data data;
  for (const auto& member : value.get_object()) {
    const std::string_view name = view(member.key());
    if (name == "Job") {
      WB_TRY(read_job(member.value(), data.job));
    } else if (name == "Command") {
      WB_ASSIGN(data.command, plain_object(member.value(), name));
    } else if (name == "Cluster") {
      WB_ASSIGN(data.cluster, plain_object(member.value(), name));
    } else if (name == "Outputs") {
      WB_TRY(read_outputs(member.value(), data.outputs));
    } else {
      return invalid(
          fmt::format("\"{}\" is no namespace; there are Job, Command, Cluster and Outputs", name));
    }
  }
  return data;
}

absl::StatusOr<Data> data_from_json(std::string_view text) {
  WB_ASSIGN(const json::value value, parse_vector_json(text));
  return data_from_value(value);
}

}  // namespace waybill::gotemplate
