#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "waybill/template/vector_runner.h"

// Go's own answers: every line of tests/testdata/gotemplate/vectors, a case a file.
namespace waybill::gotemplate {
namespace {

std::vector<std::string> groups() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("tests/testdata/gotemplate/vectors")) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class GoVectors : public testing::TestWithParam<std::string> {};

TEST_P(GoVectors, AllPassWithGosMessages) {
  std::ifstream file("tests/testdata/gotemplate/vectors/" + GetParam() + ".jsonl");
  std::string line;
  int lines = 0;
  while (std::getline(file, line)) {
    ++lines;
    const VectorOutcome outcome = run_vector(line);
    EXPECT_EQ(outcome.failure, "") << line;
    EXPECT_EQ(outcome.has_message, outcome.message_is_equal) << line;
  }
  EXPECT_GT(lines, 0);
}

INSTANTIATE_TEST_SUITE_P(Groups, GoVectors, testing::ValuesIn(groups()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// Recorded by tests/fuzz/template_against_go/run.py, so that machines without Go compare random templates
// too.
TEST(RandomGoVectors, AllPassWithGosMessages) {
  std::ifstream file("tests/testdata/gotemplate/random.jsonl");
  std::string line;
  int lines = 0;
  int refused = 0;
  while (std::getline(file, line)) {
    ++lines;
    const VectorOutcome outcome = run_vector(line);
    if (is_refused_at_load(outcome)) {
      ++refused;
      continue;
    }
    EXPECT_EQ(outcome.failure, "") << line;
    EXPECT_EQ(outcome.has_message, outcome.message_is_equal) << line;
  }
  EXPECT_EQ(lines, 1000);
  EXPECT_LT(refused, lines / 20);
}

std::string run(const std::string& vectors) {
  std::istringstream in(vectors);
  std::ostringstream out;
  run_vectors(in, out);
  return out.str();
}

TEST(VectorRunner, CountsAndNamesFailures) {
  const std::string vectors = R"({"name":"a","template":"{{1}}","data":{},"want":"1"})"
                              "\n"
                              R"({"name":"b","template":"{{1}}","data":{},"want":"2"})"
                              "\n";
  EXPECT_EQ(run(vectors),
            "line 2 b: printed \"1\"; want \"2\"\n"
            "messages equal: 0 of 0\n"
            "1 passed, 1 failed\n");
}

TEST(VectorRunner, ComparesPhaseAndPlaceBeforeMessages) {
  const auto outcome = [](std::string_view error) {
    return run_vector(R"({"template":"{{.Command.x}}","data":{},"error":)" + std::string(error) + "}");
  };
  EXPECT_EQ(outcome(R"({"phase":"exec","message":"other words","line":1,"col":10})").failure, "");
  EXPECT_FALSE(outcome(R"({"phase":"exec","message":"other words","line":1,"col":10})").message_is_equal);
  EXPECT_NE(outcome(R"({"phase":"exec","message":"m","line":1,"col":2})").failure, "");
  EXPECT_NE(outcome(R"({"phase":"exec","message":"m","line":2,"col":10})").failure, "");
  EXPECT_NE(outcome(R"({"phase":"parse","message":"m","line":1})").failure, "");
}

TEST(VectorRunner, HoldsTheRefusalsAtLoadToTheirMark) {
  EXPECT_EQ(run_vector(R"~({"template":"{{1i}}","data":{},"want":"(0+1i)","load":"must"})~").failure, "");
  EXPECT_NE(run_vector(R"({"template":"{{1}}","data":{},"want":"1","load":"must"})").failure, "");
  EXPECT_NE(run_vector(R"~({"template":"{{1i}}","data":{},"want":"(0+1i)"})~").failure, "");
}

TEST(VectorRunner, SaysWhatIsWrongWithALine) {
  EXPECT_NE(run_vector("{").failure, "");
  EXPECT_NE(run_vector("[]").failure, "");
  EXPECT_NE(run_vector(R"({"template":"x","data":{}})").failure, "");
  EXPECT_NE(run_vector(R"({"template":"x","data":{"Nope":{}},"want":"x"})").failure, "");
}

TEST(VectorData, TellsNumbersByTheirToken) {
  const auto data =
      data_from_json(R"({"Command":{"i":3,"f":3.0,"e":3e0,"big":{"$uint64":"18446744073709551615"}}})");
  ASSERT_TRUE(data.ok());
  const auto shown =
      Template::parse("attr", "{{printf `%T %T %T %T` .Command.i .Command.f .Command.e .Command.big}}")
          ->execute(*data);
  EXPECT_EQ(*shown, "int float64 float64 uint64");
}

TEST(VectorData, TakesWhatJsonCannotHold) {
  const auto data =
      data_from_json(R"({"Command":{"raw":{"$b64":"/w=="},"nan":{"$float":"NaN"},"inf":{"$float":"-Inf"}}})");
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(*Template::parse("attr", "{{.Command.raw}}{{.Command.nan}}{{.Command.inf}}")->execute(*data),
            "\xFFNaN-Inf");
}

TEST(VectorData, NamesTheWrongMember) {
  const auto mistake = [](std::string_view text) {
    return std::string(data_from_json(text).status().message());
  };
  EXPECT_EQ(mistake(R"({"Job":{"ID":1}})"), "Job.ID must be a string");
  EXPECT_EQ(mistake(R"({"Job":{"Nope":1}})"), "Job.Nope is no field of a job");
  EXPECT_EQ(mistake(R"({"Job":{"Tags":[1]}})"), "Job.Tags must be a string");
  EXPECT_EQ(mistake(R"({"Outputs":{"n":1}})"), "Outputs.n must be a string");
  EXPECT_EQ(mistake("[]"), "data must be an object of Job, Command, Cluster and Outputs");
}

}  // namespace
}  // namespace waybill::gotemplate
