#pragma once

// A job as the API shows it: the one place that knows its members. Internal to api/rest.

#include <string>
#include <vector>

#include "waybill/api/rest/json_text.h"
#include "waybill/base/redact.h"
#include "waybill/domain/attribute.h"
#include "waybill/domain/job.h"
#include "waybill/domain/result_table.h"

namespace waybill::rest {

struct JobForm {
  const Redactor& redactor;
  bool row = false;                             // of a list: a long context is shown as its size
  const domain::ResultTable* result = nullptr;  // of the answer to a sync submit
  const std::string* result_text = nullptr;     // or its JSON; "" : none
  const std::vector<std::string>* warnings = nullptr;
};

void write_job(const domain::Job& job, const JobForm& form, JsonText& out);
[[nodiscard]] std::string job_json(const domain::Job& job, const JobForm& form);
// {"status","error"?,"updated_at"}
[[nodiscard]] std::string job_status_json(const domain::Job& job);

// {"label":{"kind","value","show"?,"position"?}} in the order of the config.
void write_attributes(const domain::Attributes& attributes, JsonText& out);
// The member `attribute_errors`, if there are any.
void write_attribute_errors(const domain::AttributeErrors& errors, JsonText& out);
void write_result(const domain::ResultTable& result, JsonText& out);

}  // namespace waybill::rest
