#pragma once

#include <absl/status/statusor.h>

#include <boost/json/fwd.hpp>
#include <string>

#include "waybill/base/environment.h"

// A secret in a context is kept as a reference until it is used: {"$secret": {"file": PATH}},
// {"$secret": {"env": NAME}} or {"$secret": {"text": "…${env:NAME}…"}}. So it is in no revision, no database
// and no response; Redactor shows such an object as "***".
//
// Only the configuration may bring such objects in. What a caller sends (a job's context, a PUT) must be
// refused if holds_secret_reference() says so: else a caller could read any file of the server.
namespace waybill {

inline constexpr char kSecretKey[] = "$secret";

// Whether the value is a reference: an object whose only member is "$secret".
[[nodiscard]] bool is_secret_reference(const boost::json::value& value);
// Whether a member is named "$secret" at any depth.
[[nodiscard]] bool holds_secret_reference(const boost::json::value& value);

// The same object with every reference replaced by its text, read now. FailedPrecondition that names the key
// and the reference, never a value. Reads files: not for the io thread where there are many.
[[nodiscard]] absl::StatusOr<boost::json::object> resolve_secrets(const boost::json::object& context);
[[nodiscard]] absl::StatusOr<boost::json::object> resolve_secrets(const boost::json::object& context,
                                                                  const Environment& environment);

// A secret's file: a regular one of at most 1 MiB, without the newline at its end.
[[nodiscard]] absl::StatusOr<std::string> read_secret_file(const std::string& path);

}  // namespace waybill
