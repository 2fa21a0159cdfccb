#include "waybill/kube/stream_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "waybill/base/status.h"

namespace waybill::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> lines_of(LineSplitter& splitter, const std::vector<std::string>& chunks) {
  std::vector<std::string> lines;
  for (const std::string& chunk : chunks) {
    splitter.feed(chunk);
    while (const auto piece = splitter.next()) {
      lines.push_back(std::string(piece->text) + (piece->cut ? "…" + std::to_string(piece->size) : ""));
    }
  }
  return lines;
}

TEST(LineSplitter, FindsLinesWhereverChunksEnd) {
  LineSplitter splitter(100);
  EXPECT_THAT(lines_of(splitter, {"ab\ncd", "e", "f\n", "\n\r", "\n", "gh\n", "rest"}),
              ElementsAre("ab", "cdef", "gh"));
  EXPECT_TRUE(splitter.in_a_line());
}

TEST(LineSplitter, KeepsTheFirstBytesOfALineThatIsTooLong) {
  LineSplitter splitter(4);
  EXPECT_THAT(lines_of(splitter, {"12345\n1234\n", "123", "456", "78\nab\n"}),
              ElementsAre("1234…5", "1234", "1234…8", "ab"));
}

struct Scanned {
  std::vector<std::string> items;
  std::string envelope;
  std::string problem;
  bool complete = false;
};

Scanned scan(const std::string& text, std::size_t chunk, std::size_t limit = 1000) {
  Scanned scanned;
  ListSplitter splitter(limit);
  for (std::size_t at = 0; at < text.size(); at += chunk) {
    splitter.feed(text.substr(at, chunk));
    while (true) {
      const auto piece = splitter.next();
      if (!piece.ok()) {
        scanned.problem = message(piece.status());
        return scanned;
      }
      if (!*piece) break;
      scanned.items.push_back(std::string((*piece)->text) + ((*piece)->cut ? "…" : ""));
    }
  }
  scanned.complete = splitter.complete();
  scanned.envelope = splitter.envelope();
  return scanned;
}

TEST(ListSplitter, ReflectorPoint21_GivesItemsOneByOneWhereverTheMetadataStands) {
  const std::string item = R"({"a":"]},{\"","items":[1,{"b":[]}]})";
  const std::vector<std::string> texts = {
      R"({"kind":"L","metadata":{"resourceVersion":"7","items":["x"]},"items":[)" + item + ",\n " + item +
          "]}\n",
      R"( {"items": [)" + item + "," + item +
          R"(], "metadata":{"resourceVersion":"7","items":["x"]},"kind":"L"})"};
  for (const std::string& text : texts) {
    for (std::size_t chunk = 1; chunk <= text.size(); ++chunk) {
      const Scanned scanned = scan(text, chunk);
      EXPECT_THAT(scanned.items, ElementsAre(item, item)) << chunk;
      EXPECT_TRUE(scanned.complete) << chunk;
      EXPECT_THAT(scanned.envelope, ::testing::HasSubstr(R"("resourceVersion":"7")"));
      EXPECT_THAT(scanned.envelope, ::testing::Not(::testing::HasSubstr(R"("a":)")));
    }
  }
}

TEST(ListSplitter, TakesListsWithoutItems) {
  for (const char* text :
       {R"({"metadata":{},"items":[]})", R"({"metadata":{},"items":null})", R"({"metadata":{}})"}) {
    const Scanned scanned = scan(text, 3);
    EXPECT_THAT(scanned.items, IsEmpty());
    EXPECT_TRUE(scanned.complete) << text;
  }
}

TEST(ListSplitter, CutsWhatIsTooLarge) {
  EXPECT_THAT(scan(R"({"items":[{"a":"12345678"},{"b":1}]})", 5, 8).items,
              ElementsAre("{\"a\":\"12…", "{\"b\":1}"));
}

TEST(ListSplitter, RefusesWhatIsNoList) {
  EXPECT_NE(scan("<html>", 2).problem, "");
  EXPECT_NE(scan("[1]", 2).problem, "");
  EXPECT_NE(scan(R"({"items":[1,2]})", 2).problem, "");
  EXPECT_NE(scan("{}{}", 2).problem, "");
  EXPECT_NE(scan(R"({"x":")" + std::string(2 << 20U, 'x') + "\"}", 4096).problem, "");
  EXPECT_FALSE(scan(R"({"items":[{"a":1})", 4).complete);
}

}  // namespace
}  // namespace waybill::kube
