#pragma once

// Commands and clusters as the API shows and reads them: the one place that knows their members. Internal to
// api/rest.

#include <absl/status/statusor.h>

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

#include "waybill/api/rest/json_text.h"
#include "waybill/api/rest/query.h"
#include "waybill/base/redact.h"
#include "waybill/domain/catalog.h"

namespace waybill::rest {

void write_entry(const domain::Command& command, const Redactor& redactor, JsonText& out);
void write_entry(const domain::Cluster& cluster, const Redactor& redactor, JsonText& out);
// {"status","updated_at"}
[[nodiscard]] std::string entry_status_json(const domain::Entry& entry);

// A PUT's body. `warnings` gets a sentence for each unknown member.
[[nodiscard]] absl::StatusOr<domain::Command> read_command(const boost::json::object& body,
                                                           const Query& query,
                                                           std::vector<std::string>& warnings);
[[nodiscard]] absl::StatusOr<domain::Cluster> read_cluster(const boost::json::object& body,
                                                           const Query& query,
                                                           std::vector<std::string>& warnings);
// {"status": word}
[[nodiscard]] absl::StatusOr<domain::EntryStatus> read_entry_status(const boost::json::object& body,
                                                                    const Query& query);

// {label: {kind, value, show}} or [{label, kind, value, show}], in its order.
[[nodiscard]] absl::StatusOr<std::vector<domain::AttributeTemplate>> read_attributes(
    const boost::json::value& value);

}  // namespace waybill::rest
