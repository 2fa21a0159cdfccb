// Targets, filters, ranges, patterns and event positions of clients.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "waybill/api/rest/compress.h"
#include "waybill/api/rest/event_hub.h"
#include "waybill/api/rest/job_query.h"
#include "waybill/api/rest/log_range.h"
#include "waybill/api/rest/record_query.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace rest = waybill::rest;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view head = text.substr(0, text.size() / 2);
  const std::string_view tail = text.substr(head.size());
  static_cast<void>(rest::path_segments(text));
  const auto query = rest::Query::parse(text);
  if (query.ok()) static_cast<void>(rest::read_job_query(*query, "a", "", 101));
  if (query.ok()) static_cast<void>(rest::read_record_query(*query));
  const rest::RangeAnswer range = rest::parse_range(text, 1000);
  if (range.kind == rest::RangeKind::kPart &&
      (range.range.end > 1000 || range.range.begin >= range.range.end))
    std::abort();
  static_cast<void>(rest::accepts_gzip(text));
  static_cast<void>(rest::like(head, tail));
  if (!rest::like(rest::exactly(text), text)) std::abort();
  if (rest::compare_positions(head, tail) * rest::compare_positions(tail, head) > 0) std::abort();
  return 0;
}
