#include "waybill/base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "waybill/base/status.h"

namespace waybill {
namespace {

class FileTest : public ::testing::Test {
 protected:
  FileTest() {
    std::string name = "/tmp/waybill-file-XXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  ~FileTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  [[nodiscard]] std::string at(const std::string& name) const { return directory_ + "/" + name; }
  static std::string why(const std::string& path, std::size_t limit = 100) {
    const auto text = read_regular_file(path, limit);
    EXPECT_FALSE(text.ok()) << path;
    return message(text.status());
  }
  std::string directory_;
};

TEST_F(FileTest, ReadsUpToTheLimitAndNotAByteMore) {
  std::ofstream(at("a")) << std::string(100, 'x');
  const auto text = read_regular_file(at("a"), 100);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, std::string(100, 'x'));
  EXPECT_EQ(why(at("a"), 99), "it is larger than 99 bytes");
  std::ofstream(at("big")) << std::string((1U << 20U) + 1, 'x');
  EXPECT_EQ(why(at("big"), 1U << 20U), "it is larger than 1 MiB");
}

TEST_F(FileTest, WhatIsNoFileIsSaidAndNotWaitedFor) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_EQ(why(at("pipe")), "it is a pipe, not a regular file");
  EXPECT_EQ(why(directory_), "it is a directory, not a regular file");
  EXPECT_EQ(why("/dev/zero"), "it is a device, not a regular file");
  EXPECT_EQ(why(at("none")), "No such file or directory");
  EXPECT_EQ(message(check_regular_file(at("pipe"))), "it is a pipe, not a regular file");
}

TEST_F(FileTest, OneThatASettingNamesMustHoldSomething) {
  std::ofstream(at("full")) << "text";
  std::ofstream(at("empty"));
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_file_of("a.b", at("full"), 4).value(), "text");
  EXPECT_EQ(read_file_of("a.b", at("empty"), 4).status(), invalid("a.b: " + at("empty") + ": it is empty"));
  EXPECT_EQ(read_file_of("a.b", at("full"), 3).status(),
            invalid("a.b: " + at("full") + ": it is larger than 3 bytes"));
  EXPECT_EQ(read_file_of("a.b", at("pipe"), 4).status(),
            invalid("a.b: " + at("pipe") + ": it is a pipe, not a regular file"));
}

TEST_F(FileTest, ALinkToAFileIsOne) {
  std::ofstream(at("a")) << "text";
  std::filesystem::create_symlink(at("a"), at("link"));
  EXPECT_EQ(read_regular_file(at("link"), 100).value(), "text");
  EXPECT_TRUE(check_regular_file(at("link")).ok());
}

}  // namespace
}  // namespace waybill
