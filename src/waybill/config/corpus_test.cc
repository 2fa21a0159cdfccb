#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "waybill/config/load.h"
#include "waybill/config/test_plugins.h"

// Each file of tests/testdata/config says itself what is wrong with it: lines `# expect: LINE:COL: path:
// text` in bad/, `# warn: …` in good/, all of them, in the order of the file.
namespace waybill::config {
namespace {

constexpr char kCorpus[] = "tests/testdata/config/";

std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kCorpus + folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<std::string> notes_of(const std::string& text, const std::string& word) {
  std::vector<std::string> notes;
  std::istringstream lines(text);
  const std::string start = "# " + word + ": ";
  for (std::string line; std::getline(lines, line) && line.starts_with("# ");) {
    if (line.starts_with(start)) notes.push_back(line.substr(start.size()));
  }
  return notes;
}

std::vector<std::string> formatted(const std::vector<Mistake>& all) {
  std::vector<std::string> lines;
  for (const Mistake& one : all) lines.push_back(format_mistake(one));
  return lines;
}

class BadConfig : public testing::TestWithParam<std::string> {};

TEST_P(BadConfig, IsRefusedWithEveryMistakeAtItsPlace) {
  const std::string text = text_of(kCorpus + ("bad/" + GetParam()));
  const Loaded loaded = load_text(text, "", test_options());
  EXPECT_FALSE(loaded.ok());
  EXPECT_EQ(formatted(loaded.mistakes), notes_of(text, "expect"));
}

INSTANTIATE_TEST_SUITE_P(Corpus, BadConfig, testing::ValuesIn(files_of("bad")),
                         [](const auto& info) { return info.param.substr(0, info.param.find('.')); });

class GoodConfig : public testing::TestWithParam<std::string> {};

TEST_P(GoodConfig, LoadsWithNoOtherWarningThanItsOwn) {
  const std::string text = text_of(kCorpus + ("good/" + GetParam()));
  const Loaded loaded = load_text(text, "", test_options());
  EXPECT_TRUE(loaded.ok());
  EXPECT_EQ(formatted(loaded.mistakes), std::vector<std::string>());
  EXPECT_EQ(formatted(loaded.warnings), notes_of(text, "warn"));
}

TEST_P(GoodConfig, IsShownAsAConfigThatLoads) {
  const Loaded loaded = load_text(text_of(kCorpus + ("good/" + GetParam())), "", test_options());
  ASSERT_TRUE(loaded.ok());
  // What is hidden can't come back: the place of a secret holds "***".
  std::string shown = show(*loaded.config);
  const std::string hidden = "connection_string: \"***\"";
  if (const std::size_t at = shown.find(hidden); at != std::string::npos) {
    shown.replace(at, hidden.size(), "connection_string: sqlite:shown.db");
  }
  if (const std::size_t at = shown.find("url: \"***\""); at != std::string::npos) {
    shown.replace(at, 10, "url: https://example.com");
  }
  const Loaded again = load_text(shown, "", test_options());
  EXPECT_EQ(formatted(again.mistakes), std::vector<std::string>()) << shown;
}

INSTANTIATE_TEST_SUITE_P(Corpus, GoodConfig, testing::ValuesIn(files_of("good")),
                         [](const auto& info) { return info.param.substr(0, info.param.find('.')); });

}  // namespace
}  // namespace waybill::config
