#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "waybill/base/task.h"
#include "waybill/kube/api_error.h"
#include "waybill/kube/resource.h"

// The API of one cluster. Everything here is called on the io thread. Errors carry an ApiError where the
// server answered (api_error.h). A call to a kind that the server doesn't know is NotFound, as is one to an
// object that isn't there: serves() tells them apart.
namespace waybill::kube {

using Query = std::vector<std::pair<std::string, std::string>>;

struct ApiRequest {
  std::string method = "GET";
  std::string path;  // encoded: resource.h makes them
  Query query = {};  // not encoded
  std::string body = {};
  std::string content_type = "application/json";
  std::string accept = "application/json";
  // A stream may be silent for so long once it began; infinite for watches and followed logs.
  absl::Duration silence = absl::Seconds(60);
};

// An answer's body while it comes. The sender is slowed down where nobody reads: at most some 256 KiB wait.
// Destroying it ends the connection.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // The next bytes, or "" at the orderly end. Unavailable where the connection broke; Cancelled after
  // cancel().
  virtual Task<absl::StatusOr<std::string>> read() = 0;
  // Ends a read() that waits, and all later ones. io thread only.
  virtual void cancel() = 0;
};

enum class Patch { kJson, kMerge, kApply };  // kApply: server-side, the body may be JSON

struct Deletion {
  std::string propagation = {};  // "Background", "Foreground", "Orphan"; "" : the kind's default
  std::string uid = {};          // only if it is this object: else a conflict
  std::string resource_version = {};
  std::optional<std::int64_t> grace_seconds = {};
};

struct PodLog {
  std::string name_space;
  std::string pod;
  std::string container = {};
  bool follow = false;
  bool previous = false;
  bool timestamps = false;
  std::optional<absl::Time> since = {};  // whole seconds count
  std::optional<std::int64_t> tail_lines = {};
  std::optional<std::int64_t> limit_bytes = {};
};

struct Listing {
  Resource resource;
  std::string name_space = {};  // "" : all
  std::string label_selector = {};
  std::string field_selector = {};
  int page_size = 500;
};

// Where it is shared, a reflector keeps it for as long as it runs.
class Api : public std::enable_shared_from_this<Api> {
 public:
  virtual ~Api() = default;

  // One exchange with its whole answer, of at most 64 MiB.
  virtual Task<absl::StatusOr<std::string>> send(ApiRequest request) = 0;
  // The same, but the body is read while it comes. Comes back at once: a refusal, as all that goes wrong, is
  // what the first read() answers.
  virtual std::unique_ptr<ByteStream> open(ApiRequest request) = 0;

  // send() where the answer is an object.
  Task<absl::StatusOr<boost::json::object>> call(ApiRequest request);

  Task<absl::StatusOr<boost::json::object>> get(Resource resource, std::string name_space, std::string name);
  // NotFound if the namespace is not there; AlreadyExists. `object` has a kind; an apiVersion is added.
  Task<absl::StatusOr<boost::json::object>> create(Resource resource, std::string name_space,
                                                   boost::json::object object);
  // Of what get() gave and was changed. Conflict if it carries another resourceVersion than the stored one.
  Task<absl::StatusOr<boost::json::object>> replace(Resource resource, std::string name_space,
                                                    boost::json::object object, std::string subresource = {});
  // field_manager is needed by kApply; `force` takes fields over that others own (kApply only).
  Task<absl::StatusOr<boost::json::object>> patch(Resource resource, std::string name_space, std::string name,
                                                  Patch kind, std::string body, std::string subresource = {},
                                                  std::string field_manager = {}, bool force = false);
  // NotFound if it is gone already. The object may stay a while, with a deletionTimestamp.
  Task<absl::Status> remove(Resource resource, std::string name_space, std::string name, Deletion how = {});

  // Reads, changes and replaces until no other write came between, five times at most. An error of `edit` is
  // the answer.
  using Edit = std::function<absl::Status(boost::json::object& object)>;
  Task<absl::StatusOr<boost::json::object>> update(Resource resource, std::string name_space,
                                                   std::string name, Edit edit, std::string subresource = {});

  // The first read() answers NotFound: no such pod; InvalidArgument: no such container, or it hasn't begun
  // yet.
  std::unique_ptr<ByteStream> pod_log(PodLog log);

  // Whether the server knows the kind. An error means unknown.
  Task<absl::StatusOr<bool>> serves(Resource resource);
  // Whether these credentials may do it: verb is get, list, watch, create, update, patch or delete.
  Task<absl::StatusOr<bool>> allows(std::string verb, Resource resource, std::string name_space);
};

// The query of a list or a watch of these objects, without what is about paging and versions.
[[nodiscard]] Query selection(const Listing& listing);

}  // namespace waybill::kube
