#pragma once

#include <absl/time/time.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace waybill::rest {

// What /metrics shows of the API, in Prometheus' text form. On the io thread only.
class Metrics {
 public:
  // `route` is a route's own path or "other", never what a client sent: labels stay few.
  void request(std::string_view method, std::string_view route, unsigned status, absl::Duration took);
  void write(std::string& out) const;

 private:
  static constexpr std::array<double, 11> kBounds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                                     0.05,   0.1,   0.5,    2.5,   10};
  struct Histogram {
    std::array<std::int64_t, kBounds.size() + 1> counts{};
    double sum = 0;
    std::int64_t total = 0;
  };
  struct Series {
    std::map<unsigned, std::int64_t> by_status;
    Histogram latency;
  };
  std::map<std::pair<std::string, std::string>, Series, std::less<>> routes_;
};

// One line of help, type and value: waybill_<name> <value>.
void write_gauge(std::string_view name, std::string_view help, double value, std::string& out);

}  // namespace waybill::rest
