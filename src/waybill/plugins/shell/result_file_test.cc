#include "waybill/plugins/shell/result_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>

#include "waybill/base/status.h"
#include "waybill/base/unique_fd.h"

namespace waybill::plugins {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using Result = absl::StatusOr<std::shared_ptr<const domain::ResultTable>>;

class ResultFile : public ::testing::Test {
 protected:
  ResultFile() {
    std::string name = "/tmp/waybill-result-XXXXXX";
    path_ = ::mkdtemp(name.data());
    directory_ = UniqueFd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  ~ResultFile() override { std::filesystem::remove_all(path_); }

  Result read(const std::string& text, std::size_t rows = 1000, std::size_t bytes = 1 << 20) {
    std::ofstream(path_ + "/result.json", std::ios::binary) << text;
    return read_result(directory_.get(), rows, bytes);
  }
  // "name:type …|rows", what a table says in one line.
  static std::string shown(const Result& result) {
    if (!result.ok()) return message(result.status());
    if (*result == nullptr) return "none";
    std::string out;
    for (const domain::ResultColumn& column : (*result)->columns)
      out += column.name + ':' + column.type + ' ';
    return out + '|' + json::serialize((*result)->rows) + ((*result)->truncated ? " truncated" : "");
  }

  std::string path_;
  UniqueFd directory_;
};

TEST_F(ResultFile, IsReadAsHeimdallReadsIt) {
  const std::vector<std::pair<std::string, std::string>> wanted = {
      {R"({"columns":[{"name":"n","type":"int"},{"name":"s","type":["null","string"]}],"data":[[1,"a"],[25,null]]})",
       R"(n:int s:string |[[1,"a"],[25,null]])"},
      {R"({"data":[[true,[1],{"k":[[2]]}]],"columns":[{"name":"a"},{"name":"b","type":{"type":"bytes","scale":2}},{}]})",
       R"(a: b:bytes : |[[true,[1],{"k":[[2]]}]])"},
      {R"({"Columns":[{"NAME":"n","Type":"int"}],"DATA":[],"other":{"columns":[1],"data":7}})", "n:int |[]"},
      {R"({"columns":[{"name":"n","type":[["null"],{"type":"long"}]}]})", "n: |[]"},
      {"{}", "|[]"},
      {"null\n", "|[]"},
      {R"({"columns":null,"data":null})", "|[]"},
      {R"({"data":[[1]],"data":[["ü\"\\\u0041"]]})", R"(: |[["ü\"\\A"]])"},
      {R"({"columns":[{"name":"a"},{"name":"b"}],"data":[[1],[1,2,3],[]]})",
       "a: b: : |[[1,null,null],[1,2,3],[null,null,null]]"},
      {"{\"data\":[[9223372036854775807,18446744073709551615,-1]]}",
       ": : : |[[9223372036854775807,18446744073709551615,-1]]"},
  };
  for (const auto& [text, table] : wanted) EXPECT_EQ(shown(read(text)), table) << text;
}

TEST_F(ResultFile, NumbersAreReadExactly) {
  const Result result =
      read("{\"data\":[[0.1, 123456789012345678901234567890, 9.007199254740993e15, 5e-324, 1e-400]]}");
  ASSERT_TRUE(result.ok()) << result.status();
  const json::array& row = (*result)->rows.at(0).get_array();
  EXPECT_EQ(row.at(0).get_double(), 0.1);
  EXPECT_EQ(row.at(1).get_double(), 123456789012345678901234567890.0);
  EXPECT_EQ(row.at(2).get_double(), 9.007199254740993e15);
  EXPECT_EQ(row.at(3).get_double(), 5e-324);
  EXPECT_EQ(row.at(4).get_double(), 0.0);
}

TEST_F(ResultFile, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> wanted = {
      {"", "malformed JSON near byte 0: incomplete JSON"},
      {"{\"columns\":[", "malformed JSON near byte 12: incomplete JSON"},
      {"{\"data\":[[1]]} x", "malformed JSON near byte 15: extra data"},
      {"[]", "it is not an object"},
      {"7", "it is not an object"},
      {R"({"columns":7})", "\"columns\" is not a list"},
      {R"({"columns":{}})", "\"columns\" is not a list"},
      {R"({"columns":["a"]})", "a column is not an object"},
      {R"({"columns":[[]]})", "a column is not an object"},
      {R"({"data":"x"})", "\"data\" is not a list"},
      {R"({"data":[1]})", "a row of \"data\" is not a list"},
      {R"({"data":[{}]})", "a row of \"data\" is not a list"},
      {R"({"data":[[1e999]]})", "a number is too large"},
      {R"({"columns":[{"name":"a\u0000"}]})", "U+0000"},
      {"{\"data\":[[\"\xff\"]]}", "malformed JSON near byte"},
      {std::string(100, '['), "it is not an object"},
      {"{\"x\":" + std::string(100, '[') + std::string(100, ']') + "}", "too deep"},
  };
  for (const auto& [text, what] : wanted) {
    const Result result = read(text);
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(message(result.status()), HasSubstr("result.json: "));
    EXPECT_THAT(message(result.status()), HasSubstr(what)) << text;
  }
}

TEST_F(ResultFile, RowsOverALimitAreDroppedAndTheColumnsAfterThemKept) {
  std::string text = "{\"data\":[";
  for (int i = 0; i < 5000; ++i)
    text += (i > 0 ? ",[" : "[") + std::to_string(i) + ",\"" + std::string(100, 'x') + "\"]";
  text += "],\"columns\":[{\"name\":\"n\"},{\"name\":\"s\"}]}";
  const Result by_rows = read(text, 10);
  ASSERT_TRUE(by_rows.ok()) << by_rows.status();
  EXPECT_EQ((*by_rows)->rows.size(), 10U);
  EXPECT_TRUE((*by_rows)->truncated);
  EXPECT_EQ((*by_rows)->columns.at(1).name, "s");
  const Result by_bytes = read(text, 100'000, 20'000);
  ASSERT_TRUE(by_bytes.ok()) << by_bytes.status();
  EXPECT_GT((*by_bytes)->rows.size(), 50U);
  EXPECT_LT((*by_bytes)->rows.size(), 200U);
  EXPECT_TRUE((*by_bytes)->truncated);
  const Result one_row = read("{\"data\":[[\"" + std::string(200'000, 'x') + "\"],[1]]}", 10, 1000);
  ASSERT_TRUE(one_row.ok()) << one_row.status();
  EXPECT_EQ((*one_row)->rows.size(), 0U);
  EXPECT_TRUE((*one_row)->truncated);
  const Result exact = read("{\"data\":[[1],[2]]}", 2);
  EXPECT_FALSE((*exact)->truncated);
}

TEST_F(ResultFile, AbsentOrADirectoryIsNone) {
  EXPECT_EQ(shown(read_result(directory_.get(), 10, 1000)), "none");
  std::filesystem::create_directory(path_ + "/result.json");
  EXPECT_EQ(shown(read_result(directory_.get(), 10, 1000)), "none");
  EXPECT_EQ(shown(read_result(-1, 10, 1000)), "none");
}

}  // namespace
}  // namespace waybill::plugins
