#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace waybill::bench {

// What one load run measured. Latencies are kept one by one: a million of them are 8 MB.
class Figures {
 public:
  using Nanoseconds = std::chrono::nanoseconds;

  void add(Nanoseconds latency, int status);
  void add_failure(const std::string& why);  // no answer at all

  // {"requests", "errors", "seconds", "per_second", "p50_ms", "p90_ms", "p99_ms", "max_ms", "first_error"} in
  // one line.
  [[nodiscard]] std::string to_json(Nanoseconds wall) const;
  [[nodiscard]] std::uint64_t answers() const { return latencies_.size(); }

 private:
  std::vector<Nanoseconds> latencies_;
  std::uint64_t errors_ = 0;  // answers that are not 2xx, and requests without one
  std::string first_error_;
};

}  // namespace waybill::bench
