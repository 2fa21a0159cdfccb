#pragma once

// A record as the API shows it: the one place that knows its members. Internal to api/rest.

#include <string>
#include <string_view>

#include "waybill/api/rest/json_text.h"
#include "waybill/domain/record.h"

namespace waybill::rest {

void write_record(const domain::Record& record, JsonText& out);
[[nodiscard]] std::string record_json(const domain::Record& record);

// The same as a line of CSV (RFC 4180), without what is no single value: attributes, feature references.
[[nodiscard]] std::string_view record_csv_header();
[[nodiscard]] std::string record_csv(const domain::Record& record);

}  // namespace waybill::rest
