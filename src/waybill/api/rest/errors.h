#pragma once

#include <absl/status/status.h>

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>

#include "waybill/api/rest/http/message.h"

namespace waybill::rest {

// The one place that knows which HTTP status an error is.
[[nodiscard]] unsigned http_status(const absl::Status& status);

// {"error","id"?,"code"}. What a client must not see (internal errors) is replaced by a general sentence.
[[nodiscard]] Reply error_reply(const absl::Status& status);
// The same members without braces, for answers that hold several results.
[[nodiscard]] std::string error_members(const absl::Status& status);

// The sentence a client reads for this error.
[[nodiscard]] std::string public_message(const absl::Status& status);

// Errors that several resources give.
[[nodiscard]] absl::Status no_caller();
[[nodiscard]] absl::Status unknown_job();
[[nodiscard]] absl::Status unknown_endpoint(std::string_view method, std::string_view path);

[[nodiscard]] Reply json_reply(std::string body, unsigned status = 200);

}  // namespace waybill::rest
