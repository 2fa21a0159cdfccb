#include "waybill/kube/api.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "waybill/base/status.h"
#include "waybill/base/time.h"
#include "waybill/kube/json_access.h"
#include "waybill/kube/object.h"

namespace waybill::kube {
namespace json = boost::json;
namespace {

constexpr std::size_t kMostDepth = 256;
constexpr int kUpdateTries = 5;

std::string type_of(Patch kind) {
  switch (kind) {
    case Patch::kJson:
      return "application/json-patch+json";
    case Patch::kMerge:
      return "application/merge-patch+json";
    case Patch::kApply:
      break;
  }
  return "application/apply-patch+yaml";
}

ApiRequest request_for(std::string method, std::string path, std::string body = {}) {
  ApiRequest request;
  request.method = std::move(method);
  request.path = std::move(path);
  request.body = std::move(body);
  return request;
}

// An object without an apiVersion of its own gets the resource's; its kind must be there.
std::string body_of(json::object object, const Resource& resource) {
  if (!object.contains("apiVersion"))
    object["apiVersion"] =
        resource.group.empty() ? resource.version : resource.group + "/" + resource.version;
  return json::serialize(object);
}

std::string deletion_body(const Deletion& how) {
  json::object options = {{"kind", "DeleteOptions"}, {"apiVersion", "v1"}};
  if (!how.propagation.empty()) options["propagationPolicy"] = how.propagation;
  if (how.grace_seconds) options["gracePeriodSeconds"] = *how.grace_seconds;
  json::object preconditions;
  if (!how.uid.empty()) preconditions["uid"] = how.uid;
  if (!how.resource_version.empty()) preconditions["resourceVersion"] = how.resource_version;
  if (!preconditions.empty()) options["preconditions"] = std::move(preconditions);
  return json::serialize(options);
}

}  // namespace

Query selection(const Listing& listing) {
  Query query;
  if (!listing.label_selector.empty()) query.emplace_back("labelSelector", listing.label_selector);
  if (!listing.field_selector.empty()) query.emplace_back("fieldSelector", listing.field_selector);
  return query;
}

Task<absl::StatusOr<json::object>> Api::call(ApiRequest request) {
  const std::string what = request.method + " " + request.path;
  absl::StatusOr<std::string> body = co_await send(std::move(request));
  WB_CO_TRY(body);
  json::parse_options options;
  options.max_depth = kMostDepth;
  boost::system::error_code problem;
  json::value value = json::parse(*body, problem, {}, options);
  if (problem || !value.is_object())
    co_return error(absl::StatusCode::kUnavailable, "bad_answer",
                    what + ": the API server's answer is no JSON object");
  co_return std::move(value.get_object());
}

Task<absl::StatusOr<json::object>> Api::get(Resource resource, std::string name_space, std::string name) {
  co_return co_await call(request_for("GET", object_path(resource, name_space, name)));
}

Task<absl::StatusOr<json::object>> Api::create(Resource resource, std::string name_space,
                                               json::object object) {
  co_return co_await call(
      request_for("POST", collection_path(resource, name_space), body_of(std::move(object), resource)));
}

Task<absl::StatusOr<json::object>> Api::replace(Resource resource, std::string name_space,
                                                json::object object, std::string subresource) {
  const std::string path = object_path(resource, name_space, name_of(object).name, subresource);
  co_return co_await call(request_for("PUT", path, body_of(std::move(object), resource)));
}

Task<absl::StatusOr<json::object>> Api::patch(Resource resource, std::string name_space, std::string name,
                                              Patch kind, std::string body, std::string subresource,
                                              std::string field_manager, bool force) {
  ApiRequest request =
      request_for("PATCH", object_path(resource, name_space, name, subresource), std::move(body));
  request.content_type = type_of(kind);
  if (!field_manager.empty()) request.query.emplace_back("fieldManager", field_manager);
  if (force) request.query.emplace_back("force", "true");
  co_return co_await call(std::move(request));
}

Task<absl::Status> Api::remove(Resource resource, std::string name_space, std::string name, Deletion how) {
  absl::StatusOr<std::string> gone =
      co_await send(request_for("DELETE", object_path(resource, name_space, name), deletion_body(how)));
  co_return gone.status();
}

Task<absl::StatusOr<json::object>> Api::update(Resource resource, std::string name_space, std::string name,
                                               Edit edit, std::string subresource) {
  for (int attempt = 1;; ++attempt) {
    absl::StatusOr<json::object> object = co_await get(resource, name_space, name);
    WB_CO_TRY(object);
    WB_CO_TRY(edit(*object));
    absl::StatusOr<json::object> stored =
        co_await replace(resource, name_space, *std::move(object), subresource);
    if (stored.ok() || !is_conflict(stored.status()) || attempt == kUpdateTries) co_return stored;
  }
}

std::unique_ptr<ByteStream> Api::pod_log(PodLog log) {
  ApiRequest request = request_for("GET", object_path(pods(), log.name_space, log.pod, "log"));
  request.accept = "*/*";
  if (!log.container.empty()) request.query.emplace_back("container", log.container);
  if (log.previous) request.query.emplace_back("previous", "true");
  if (log.timestamps) request.query.emplace_back("timestamps", "true");
  if (log.since) request.query.emplace_back("sinceTime", format_time(*log.since));
  if (log.tail_lines) request.query.emplace_back("tailLines", std::to_string(*log.tail_lines));
  if (log.limit_bytes) request.query.emplace_back("limitBytes", std::to_string(*log.limit_bytes));
  if (log.follow) {
    request.query.emplace_back("follow", "true");
    request.silence = absl::InfiniteDuration();
  }
  return open(std::move(request));
}

Task<absl::StatusOr<bool>> Api::serves(Resource resource) {
  absl::StatusOr<json::object> known = co_await call(request_for("GET", group_path(resource)));
  if (absl::IsNotFound(known.status())) co_return false;
  WB_CO_TRY(known);
  const json::value* list = known->if_contains("resources");
  if (list == nullptr || !list->is_array()) co_return false;
  for (const json::value& entry : list->get_array()) {
    if (entry.is_object() && text_at(entry.get_object(), "name") == resource.plural) co_return true;
  }
  co_return false;
}

Task<absl::StatusOr<bool>> Api::allows(std::string verb, Resource resource, std::string name_space) {
  json::object attributes = {{"verb", verb},
                             {"group", resource.group},
                             {"version", resource.version},
                             {"resource", resource.plural},
                             {"namespace", name_space}};
  json::object review = {{"kind", "SelfSubjectAccessReview"},
                         {"spec", json::object({{"resourceAttributes", std::move(attributes)}})}};
  Resource reviews = {"authorization.k8s.io", "v1", "selfsubjectaccessreviews"};
  absl::StatusOr<json::object> answer = co_await create(std::move(reviews), "", std::move(review));
  WB_CO_TRY(answer);
  const json::object* status = object_at(*answer, "status");
  const json::value* allowed = status == nullptr ? nullptr : member_at(*status, "allowed");
  co_return allowed != nullptr && allowed->is_bool() && allowed->get_bool();
}

}  // namespace waybill::kube
