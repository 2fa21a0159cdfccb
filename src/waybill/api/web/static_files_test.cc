#include "waybill/api/web/static_files.h"

#include <gtest/gtest.h>

namespace waybill::web {
namespace {

StaticFiles some_files() {
  return StaticFiles({{"index.html", "<!doctype html>"},
                      {"favicon.svg", "<svg/>"},
                      {"assets/index-B65ZENEc.js", "go()"},
                      {"assets/index-CZ8SWgmy.css", "a{}"},
                      {"notes", "?"}});
}

TEST(StaticFiles, EachFileHasItsBytesAndTheTypeOfItsEnding) {
  const StaticFiles files = some_files();
  struct Case {
    std::string_view path, bytes, type;
    bool immutable;
  };
  for (const Case& expected : {
           Case{"index.html", "<!doctype html>", "text/html; charset=utf-8", false},
           Case{"favicon.svg", "<svg/>", "image/svg+xml", false},
           Case{"assets/index-B65ZENEc.js", "go()", "text/javascript; charset=utf-8", true},
           Case{"assets/index-CZ8SWgmy.css", "a{}", "text/css; charset=utf-8", true},
           Case{"notes", "?", "application/octet-stream", false},
       }) {
    const auto file = files.find(expected.path);
    ASSERT_TRUE(file.has_value()) << expected.path;
    EXPECT_EQ(file->bytes, expected.bytes);
    EXPECT_EQ(file->content_type, expected.type);
    EXPECT_EQ(file->immutable, expected.immutable) << expected.path;
  }
}

TEST(StaticFiles, NothingIsFoundUnderAnotherPath) {
  const StaticFiles files = some_files();
  for (const std::string_view path :
       {"", "/index.html", "assets", "assets/", "INDEX.HTML", "../index.html"}) {
    EXPECT_FALSE(files.find(path).has_value()) << path;
  }
}

TEST(StaticFiles, WithoutABuiltUiThePageSaysHowToBuildIt) {
  const StaticFiles files({});
  const auto page = files.find("index.html");
  ASSERT_TRUE(page.has_value());
  EXPECT_NE(page->bytes.find("./x build"), std::string_view::npos);
  EXPECT_EQ(page->content_type, "text/html; charset=utf-8");
}

TEST(StaticFiles, TheProgramsOwnFilesHaveAPage) {
  const auto page = StaticFiles().find("index.html");
  ASSERT_TRUE(page.has_value());
  EXPECT_TRUE(page->bytes.starts_with("<!doctype html>"));
}

}  // namespace
}  // namespace waybill::web
