#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace waybill::bench {

// Watch events of made-up SparkApplications, shaped after the recording of a run of the real operator: each
// goes from ADDED to COMPLETED, `live` of them at a time, whichever is next.
class WatchBytes {
 public:
  // `recording`: the lines of such a run. Throws if it is none.
  WatchBytes(const std::vector<std::string>& recording, std::size_t live);

  // The next event with its line feed.
  [[nodiscard]] std::string next();
  // So many objects as they are listed: running, or the same once more.
  [[nodiscard]] std::string item(std::size_t number) const;
  [[nodiscard]] std::uint64_t version() const { return version_; }

 private:
  struct Line {
    std::vector<std::string> texts;  // what stands around the places
    std::vector<char> places;        // u: uid, n: name, v: version, r: record, s: submission, a: application
  };
  struct Live {
    std::size_t number;
    std::size_t step;
  };
  static Line cut(std::string line);
  static void write(const Line& line, std::size_t number, std::uint64_t version, std::string& out);

  std::vector<Line> lines_;
  Line listed_;
  std::vector<Live> live_;
  std::size_t runs_ = 0;
  std::uint64_t version_ = 1000;
  std::uint64_t random_ = 88172645463325252U;
};

}  // namespace waybill::bench
