#pragma once

#include <absl/status/status.h>

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

#include "waybill/cli/api.h"

namespace waybill::cli {

class Session;

// An object of any kind as lines of "label: value": texts, numbers, lists of words; the rest as JSON.
[[nodiscard]] std::string object_text(const boost::json::object& object, const Session& session);

// An answer that is one object, in the form that was asked for.
[[nodiscard]] absl::Status print_object(Session& session, const Answer& answer);

// An answer whose rows are objects, as a table of the members that are named (a title is the name in
// capitals), or in the form that was asked for. `-o name` prints the first member.
[[nodiscard]] absl::Status print_rows(Session& session, const Answer& answer,
                                      const std::vector<std::string>& members);

}  // namespace waybill::cli
