#include "bench/load/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace waybill::bench {
namespace {

double milliseconds(Figures::Nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

// The nearest-rank percentile of sorted values.
double percentile(const std::vector<Figures::Nanoseconds>& sorted, double share) {
  if (sorted.empty()) return 0;
  const auto rank = static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5);
  return milliseconds(sorted[rank]);
}

}  // namespace

void Figures::add(Nanoseconds latency, int status) {
  latencies_.push_back(latency);
  if (status / 100 == 2) return;
  ++errors_;
  if (first_error_.empty()) first_error_ = fmt::format("status {}", status);
}

void Figures::add_failure(const std::string& why) {
  ++errors_;
  if (first_error_.empty()) first_error_ = why;
}

std::string Figures::to_json(Nanoseconds wall) const {
  auto sorted = latencies_;
  std::sort(sorted.begin(), sorted.end());
  const double seconds = milliseconds(wall) / 1000;
  boost::json::object figures;
  figures["requests"] = sorted.size();
  figures["errors"] = errors_;
  figures["seconds"] = seconds;
  figures["per_second"] = seconds > 0 ? static_cast<double>(sorted.size()) / seconds : 0;
  figures["p50_ms"] = percentile(sorted, 0.50);
  figures["p90_ms"] = percentile(sorted, 0.90);
  figures["p99_ms"] = percentile(sorted, 0.99);
  figures["max_ms"] = percentile(sorted, 1);
  if (!first_error_.empty()) figures["first_error"] = first_error_;
  return boost::json::serialize(figures);
}

}  // namespace waybill::bench
