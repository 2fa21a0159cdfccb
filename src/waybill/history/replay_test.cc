#include "waybill/history/replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "waybill/base/status.h"
#include "waybill/base/time.h"

namespace waybill::history {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

std::string contents(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Sequences with the records that must be held after them. "<our text>" stands for any text of ours.
class SparkSequence : public ::testing::TestWithParam<fs::path> {};

json::object played(const fs::path& events, const json::array& received) {
  Replay replay(*LabelSelector::parse(kReplaySelector));
  std::istringstream lines(contents(events));
  std::string line;
  for (std::size_t n = 0; std::getline(lines, line); ++n) {
    replay.event(json::parse(line), *parse_time(std::string(received.at(n).as_string())));
  }
  return replay.result();
}

TEST_P(SparkSequence, IsRecordedAsTheRulesSay) {
  const fs::path events = GetParam();
  const json::value wanted = json::parse(contents(fs::path(events).replace_extension(".expected.json")));
  const json::object got = played(events, wanted.at("received_at").as_array());
  const json::array& records = got.at("records").as_array();
  ASSERT_EQ(records.size(), wanted.at("records").as_array().size()) << json::serialize(got);
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (const auto& [field, value] : wanted.at("records").at(i).as_object()) {
      const json::value& mine = records[i].at(field);
      if (value == "<our text>") {
        EXPECT_TRUE(mine.is_string()) << i << "." << field;
      } else {
        EXPECT_EQ(mine, value) << i << "." << field;
      }
    }
  }
  for (const json::value& window : wanted.at("params").as_array()) {
    const auto i = static_cast<std::size_t>(window.at("record").as_int64());
    const json::value& mine = got.at("params").at(i);
    EXPECT_EQ(mine.at("start_time_param"), window.at("start_time_param")) << i;
    EXPECT_EQ(mine.at("end_time_param"), window.at("end_time_param")) << i;
  }
}

std::vector<fs::path> sequences() {
  std::vector<fs::path> found;
  for (const char* folder : {"tests/testdata/spark/events", "tests/testdata/spark/recorded"}) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(".expected.json")) {
        found.push_back(entry.path().parent_path() / (name.substr(0, name.size() - 14) + ".json"));
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string sequence_name(const ::testing::TestParamInfo<fs::path>& info) {
  std::string name = info.param.parent_path().filename().string() + "_" + info.param.stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Corpus, SparkSequence, ::testing::ValuesIn(sequences()), sequence_name);

}  // namespace
}  // namespace waybill::history
