#include "bench/history/watch_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace waybill::bench {
namespace {

constexpr char kMark = '\x01';  // in no JSON text
constexpr char kLabels[] = R"("caraml.dev/record-id":")";
constexpr char kArguments[] =
    R"("arguments":["--feature-table","{\"project\":\"sample\",\"name\":\"driver_quality\",\"labels\":{},\"maxAge\":604800,)"
    R"(\"entities\":[{\"name\":\"driver\",\"type\":\"INT64\"}],\"features\":[{\"name\":\"trips\",\"type\":\"INT32\"}]}",)"
    R"("--start","2026-07-01T00:00:00Z","--end","2026-07-02T00:00:00Z"])";
constexpr char kMoreLabels[] =
    R"("caraml.dev/project":"sample","caraml.dev/table":"driver_quality","caraml.dev/type":"BATCH_INGESTION_JOB",)";

// Puts a place where the value of `"key":"…"` is.
void put_place(const std::string& before, char place, std::string& line) {
  for (std::size_t at = line.find(before); at != std::string::npos;
       at = line.find(before, at + before.size())) {
    const std::size_t begin = at + before.size();
    line.replace(begin, line.find('"', begin) - begin, {kMark, place});
  }
}

}  // namespace

WatchBytes::WatchBytes(const std::vector<std::string>& recording, std::size_t live) {
  for (const std::string& line : recording) {
    lines_.push_back(cut(line));
    const std::size_t object = line.find(R"("object":)");
    if (line.find(R"("RUNNING")") == std::string::npos || object == std::string::npos) continue;
    listed_ = cut(line.substr(object + 9, line.rfind('}') - object - 9));
  }
  if (lines_.size() < 2 || listed_.places.empty())
    throw std::runtime_error("the recording is not of a whole run");
  for (std::size_t i = 0; i < live; ++i) live_.push_back({runs_++, 0});
}

WatchBytes::Line WatchBytes::cut(std::string line) {
  put_place(R"("uid":")", 'u', line);
  put_place(R"("name":")", 'n', line);
  put_place(R"("resourceVersion":")", 'v', line);
  put_place(kLabels, 'r', line);
  put_place(R"("submissionID":")", 's', line);
  put_place(R"("sparkApplicationId":")", 'a', line);
  line.insert(line.find(kLabels), kMoreLabels);
  const std::string arguments = R"("arguments":["10"])";
  line.replace(line.find(arguments), arguments.size(), kArguments);
  Line cut;
  std::size_t begin = 0;
  for (std::size_t at = line.find(kMark); at != std::string::npos; at = line.find(kMark, begin)) {
    cut.texts.push_back(line.substr(begin, at - begin));
    cut.places.push_back(line[at + 1]);
    begin = at + 2;
  }
  cut.texts.push_back(line.substr(begin));
  return cut;
}

void WatchBytes::write(const Line& line, std::size_t number, std::uint64_t version, std::string& out) {
  auto to = std::back_inserter(out);
  for (std::size_t i = 0; i < line.places.size(); ++i) {
    out += line.texts[i];
    switch (line.places[i]) {
      case 'u':
        fmt::format_to(to, "0185d04e-6e49-4276-82b5-{:012x}", number);
        break;
      case 'n':
        fmt::format_to(to, "caraml-{:x}", number * 2654435761U);
        break;
      case 'v':
        fmt::format_to(to, "{}", version);
        break;
      case 'r':
        fmt::format_to(to, "8d3f2c55-9a41-4d0b-b8a7-{:012x}", number);
        break;
      case 's':
        fmt::format_to(to, "1f984b96-eb10-42ec-9e45-{:012x}", number);
        break;
      default:
        fmt::format_to(to, "spark-c0deba65c74f4ba5bcea{:012x}", number);
    }
  }
  out += line.texts.back();
}

std::string WatchBytes::next() {
  // xorshift: the same events each time.
  random_ ^= random_ << 13U;
  random_ ^= random_ >> 7U;
  random_ ^= random_ << 17U;
  Live& one = live_[random_ % live_.size()];
  std::string out;
  write(lines_[one.step], one.number, ++version_, out);
  out += '\n';
  if (++one.step == lines_.size()) one = {runs_++, 0};
  return out;
}

std::string WatchBytes::item(std::size_t number) const {
  std::string out;
  write(listed_, number, number + 1, out);
  return out;
}

}  // namespace waybill::bench
