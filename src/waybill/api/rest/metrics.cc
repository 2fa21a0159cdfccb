#include "waybill/api/rest/metrics.h"

#include <fmt/format.h>

#include <iterator>

namespace waybill::rest {

void Metrics::request(std::string_view method, std::string_view route, unsigned status, absl::Duration took) {
  Series& series = routes_[{std::string(method), std::string(route)}];
  ++series.by_status[status];
  const double seconds = absl::ToDoubleSeconds(took);
  std::size_t bucket = 0;
  while (bucket < kBounds.size() && seconds > kBounds[bucket]) ++bucket;
  ++series.latency.counts[bucket];
  ++series.latency.total;
  series.latency.sum += seconds;
}

void Metrics::write(std::string& out) const {
  auto to = std::back_inserter(out);
  fmt::format_to(to,
                 "# HELP waybill_http_requests_total Requests answered.\n"
                 "# TYPE waybill_http_requests_total counter\n");
  for (const auto& [key, series] : routes_) {
    for (const auto& [status, count] : series.by_status) {
      fmt::format_to(to, "waybill_http_requests_total{{method=\"{}\",route=\"{}\",status=\"{}\"}} {}\n",
                     key.first, key.second, status, count);
    }
  }
  fmt::format_to(to,
                 "# HELP waybill_http_request_seconds Time from a whole request to its answer.\n"
                 "# TYPE waybill_http_request_seconds histogram\n");
  for (const auto& [key, series] : routes_) {
    const std::string labels = fmt::format("method=\"{}\",route=\"{}\"", key.first, key.second);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < kBounds.size(); ++i) {
      sum += series.latency.counts[i];
      fmt::format_to(to, "waybill_http_request_seconds_bucket{{{},le=\"{}\"}} {}\n", labels, kBounds[i], sum);
    }
    fmt::format_to(to, "waybill_http_request_seconds_bucket{{{},le=\"+Inf\"}} {}\n", labels,
                   series.latency.total);
    fmt::format_to(to, "waybill_http_request_seconds_sum{{{}}} {}\n", labels, series.latency.sum);
    fmt::format_to(to, "waybill_http_request_seconds_count{{{}}} {}\n", labels, series.latency.total);
  }
}

void write_gauge(std::string_view name, std::string_view help, double value, std::string& out) {
  fmt::format_to(std::back_inserter(out),
                 "# HELP waybill_{0} {1}\n# TYPE waybill_{0} gauge\nwaybill_{0} {2}\n", name, help, value);
}

}  // namespace waybill::rest
