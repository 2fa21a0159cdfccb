#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "waybill/base/redact.h"

namespace waybill::history {

// What the rules look at in a SparkApplication (sparkoperator.k8s.io/v1beta2). Anything missing or of a wrong
// type is as if it were not set: one odd object must never stop a stream.
struct Application {
  std::string uid;
  std::string name_space;
  std::string name;
  std::uint64_t version = 0;  // resourceVersion
  std::map<std::string, std::string> labels;
  std::optional<absl::Time> created;
  std::optional<absl::Time> deletion;  // deletionTimestamp: somebody asked for its deletion
  std::string spec_hash;               // of the spec as the operator compares it
  std::vector<std::string> arguments;  // spec.arguments
  std::string manifest;                // what is kept of it (R16), canonical JSON; "" : it is too large
  std::string manifest_hash;           // SHA-256 of that; "" likewise

  // status
  std::string state;  // applicationState.state; "" : not looked at yet
  std::string error;  // applicationState.errorMessage, bounded and without NUL
  std::string submission_id;
  std::string application_id;
  std::optional<absl::Time> attempt_time;  // lastSubmissionAttemptTime
  std::optional<absl::Time> termination_time;
  std::int64_t execution_attempts = 0;
  std::string driver_pod;      // driverInfo.podName
  std::string web_ui_address;  // driverInfo.webUIIngressAddress, else .webUIAddress
};

struct ReadOptions {
  std::string spec_key;            // of the hashes of specifications
  const Redactor* mask = nullptr;  // nullptr: manifests are kept as they are
  std::size_t manifest_bytes = 1'048'576;
};

// NotFound: no SparkApplication with uid and name, to be skipped. InvalidArgument: one that can't be handled
// (a resourceVersion of another form): a dead letter.
[[nodiscard]] absl::StatusOr<Application> read_application(const boost::json::value& object,
                                                           const ReadOptions& options = {});

// HMAC-SHA256 of the spec as the operator compares specs: without `suspend` and `timeToLiveSeconds`, with
// nulls, empty lists and empty maps removed. Keyed, because the spec is hashed with its secrets in it.
[[nodiscard]] std::string compared_spec_hash(const boost::json::value& spec, const std::string& key = {});

// At most 64 KiB of a message: above it, the head and the tail with a mark between. Never cuts a character.
[[nodiscard]] std::string bounded_message(std::string text);

}  // namespace waybill::history
