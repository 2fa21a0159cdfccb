#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "waybill/base/time.h"

// The watch streams of tests/testdata/spark with the records that must be held after them.
namespace waybill::testing {

struct SparkSequence {
  std::string name;  // "events_01_plain_success"
  std::vector<boost::json::value> events;
  std::vector<absl::Time> received;
  boost::json::value wanted;

  [[nodiscard]] bool has_initial_events_end() const {
    return text.find("initial-events-end") != std::string::npos;
  }
  std::string text;
};

inline std::string file_text(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline SparkSequence read_sequence(const std::filesystem::path& events) {
  SparkSequence out;
  out.name = events.parent_path().filename().string() + "_" + events.stem().string();
  std::replace_if(
      out.name.begin(), out.name.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  out.text = file_text(events);
  out.wanted =
      boost::json::parse(file_text(std::filesystem::path(events).replace_extension(".expected.json")));
  for (const boost::json::value& at : out.wanted.at("received_at").as_array()) {
    out.received.push_back(*parse_time(std::string(at.as_string())));
  }
  std::istringstream lines(out.text);
  std::string line;
  while (std::getline(lines, line)) out.events.push_back(boost::json::parse(line));
  return out;
}

inline std::vector<SparkSequence> spark_sequences() {
  std::vector<SparkSequence> found;
  for (const char* folder : {"tests/testdata/spark/events", "tests/testdata/spark/recorded"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with(".expected.json")) continue;
      found.push_back(
          read_sequence(entry.path().parent_path() / (name.substr(0, name.size() - 14) + ".json")));
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return found;
}

// "<our text>" stands for any text of ours.
inline void expect_records(const boost::json::object& got, const SparkSequence& sequence) {
  const boost::json::array& records = got.at("records").as_array();
  ASSERT_EQ(records.size(), sequence.wanted.at("records").as_array().size()) << boost::json::serialize(got);
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (const auto& [field, value] : sequence.wanted.at("records").at(i).as_object()) {
      const boost::json::value& mine = records[i].at(field);
      if (value == "<our text>") {
        EXPECT_TRUE(mine.is_string()) << i << "." << field;
      } else {
        EXPECT_EQ(mine, value) << i << "." << field;
      }
    }
  }
  for (const boost::json::value& window : sequence.wanted.at("params").as_array()) {
    const auto i = static_cast<std::size_t>(window.at("record").as_int64());
    const boost::json::value& mine = got.at("params").at(i);
    EXPECT_EQ(mine.at("start_time_param"), window.at("start_time_param")) << i;
    EXPECT_EQ(mine.at("end_time_param"), window.at("end_time_param")) << i;
  }
}

}  // namespace waybill::testing
