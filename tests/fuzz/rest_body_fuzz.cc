// Bodies of submits and of PUTs: any bytes are an error or a value, and what was read once reads the same
// again.

#include <boost/json.hpp>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "waybill/api/rest/catalog_json.h"
#include "waybill/api/rest/job_request.h"
#include "waybill/base/go_json.h"
#include "waybill/base/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto body = waybill::parse_json(text);
  if (!body.ok() || !body->is_object()) return 0;
  const waybill::rest::Query none;
  std::vector<std::string> warnings;
  const auto job = waybill::rest::read_job_request(body->get_object(), &none);
  static_cast<void>(waybill::rest::read_command(body->get_object(), none, warnings));
  static_cast<void>(waybill::rest::read_cluster(body->get_object(), none, warnings));
  if (!job.ok() || !job->spec.context) return 0;
  const std::string shown = waybill::go_json(*job->spec.context);
  auto again = waybill::parse_json(shown);
  if (!again.ok()) std::abort();
  waybill::as_go_numbers(*again);
  if (waybill::go_json(*again) != shown) std::abort();
  return 0;
}
