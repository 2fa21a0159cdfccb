#include "waybill/storage/files/log_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

namespace waybill::storage {
namespace {

constexpr std::uint64_t kCap = 8192;  // half: 4096

class LogFile : public ::testing::Test {
 protected:
  LogFile() {
    std::string name = "/tmp/waybill-log-XXXXXX";
    path_ = ::mkdtemp(name.data());
    directory_ = UniqueFd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  ~LogFile() override { std::filesystem::remove_all(path_); }

  [[nodiscard]] int directory() const { return directory_.get(); }
  // Byte `i` of the stream that the tests write: a line of eight bytes says where it is ("0000008\n").
  static std::string stream(std::uint64_t from, std::uint64_t to) {
    std::string out;
    for (std::uint64_t line = from / 8; line * 8 < to; ++line) {
      const std::string number = std::to_string(line);
      out += std::string(7 - number.size(), '0') + number + '\n';
    }
    return out.substr(from % 8, to - from);
  }
  // Everything from `offset`, as a reader gets it in small pieces.
  static std::string read_all(const LogReader& reader, std::uint64_t offset) {
    std::string all;
    std::string piece;
    for (;;) {
      std::uint64_t next = 0;
      EXPECT_TRUE(reader.read(offset, 1000, piece, next));
      if (piece.empty()) return all;
      all += piece;
      offset = next;
    }
  }

  std::string path_;
  UniqueFd directory_;
};

TEST_F(LogFile, UpToTheCapTheFileIsTheStream) {
  LogWriter writer(directory(), "stdout", kCap);
  const std::string text = stream(0, kCap);
  writer.append(text.data(), 100);
  writer.append(text.data() + 100, text.size() - 100);
  const LogReader reader(directory(), "stdout");
  EXPECT_EQ(reader.state().size, kCap);
  EXPECT_EQ(reader.state().gap_end, 0U);
  EXPECT_EQ(read_all(reader, 0), text);
  EXPECT_EQ(read_all(reader, 8000), text.substr(8000));
  EXPECT_EQ(std::filesystem::file_size(path_ + "/stdout"), kCap);
}

TEST_F(LogFile, OverTheCapHeadAndTailStayWithTheirOffsets) {
  for (const std::uint64_t size : {kCap + 1, kCap + 4095, kCap + 4096, std::uint64_t{100'003}}) {
    const std::string name = "log" + std::to_string(size);
    LogWriter writer(directory(), name, kCap);
    const std::string text = stream(0, size);
    for (std::size_t at = 0; at < text.size(); at += 777)
      writer.append(text.data() + at, std::min<std::size_t>(777, text.size() - at));
    const LogReader reader(directory(), name);
    const LogState state = reader.state();
    EXPECT_EQ(state.size, size);
    EXPECT_EQ(state.gap_begin, kCap / 2);
    EXPECT_EQ(state.gap_end, size - kCap / 2);
    EXPECT_EQ(read_all(reader, 0), text.substr(0, kCap / 2) + "\n[waybill: " + std::to_string(size - kCap) +
                                       " bytes were left out here: the log is over its limit]\n" +
                                       text.substr(size - kCap / 2));
    EXPECT_EQ(read_all(reader, size - 10), text.substr(size - 10));
    EXPECT_EQ(std::filesystem::file_size(path_ + '/' + name), kCap);
  }
}

TEST_F(LogFile, APieceLargerThanTheWholeLogIsKeptAsAnyOther) {
  LogWriter writer(directory(), "stdout", kCap);
  const std::string text = stream(0, 50'000);
  writer.append(text.data(), text.size());
  const LogReader reader(directory(), "stdout");
  EXPECT_EQ(reader.state().size, text.size());
  EXPECT_EQ(read_all(reader, text.size() - kCap / 2), text.substr(text.size() - kCap / 2));
}

TEST_F(LogFile, AWriterGoesOnWhereTheLastOneEnded) {
  const std::string text = stream(0, 30'000);
  for (std::size_t at = 0; at < text.size(); at += 5000) {
    LogWriter writer(directory(), "stdout", kCap);
    EXPECT_EQ(writer.size(), at);
    writer.append(text.data() + at, 5000);
  }
  const LogReader reader(directory(), "stdout");
  EXPECT_EQ(reader.state().size, text.size());
  EXPECT_EQ(read_all(reader, text.size() - kCap / 2), text.substr(text.size() - kCap / 2));
}

TEST_F(LogFile, TheTailIsCountedInLinesAlsoAcrossTheGap) {
  LogWriter writer(directory(), "stdout", kCap);
  const std::string text = stream(0, 80'000);
  writer.append(text.data(), text.size());
  const LogReader reader(directory(), "stdout");
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> wanted = {
      {0, 80'000},
      {1, 79'992},
      {2, 79'984},
      {511, 80'000 - 511 * 8},
      // The tail holds 512 lines; the line that the gap ends in is the head's last.
      {600, 4096 - 88 * 8},
      {100'000, 0}};
  for (const auto& [lines, offset] : wanted) {
    std::uint64_t found = 1;
    EXPECT_TRUE(reader.tail(lines, found));
    EXPECT_EQ(found, offset) << lines << " lines";
  }
}

TEST_F(LogFile, ALastLineWithoutANewlineIsALine) {
  LogWriter writer(directory(), "stdout", kCap);
  writer.append("a\nb\nc", 5);
  const LogReader reader(directory(), "stdout");
  std::uint64_t offset = 0;
  EXPECT_TRUE(reader.tail(1, offset));
  EXPECT_EQ(offset, 4U);
  EXPECT_TRUE(reader.tail(2, offset));
  EXPECT_EQ(offset, 2U);
  EXPECT_TRUE(reader.tail(3, offset));
  EXPECT_EQ(offset, 0U);
}

TEST_F(LogFile, AFullDiskCutsTheLogAndTheLogSaysSo) {
  LogWriter writer(directory(), "stdout", 1 << 20);
  const std::string text = stream(0, 100'000);
  // A limit of the file's size fails writes as a full disk does.
  struct rlimit before = {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto old_action = ::signal(SIGXFSZ, SIG_IGN);
  writer.append(text.data(), 10'000);
  const struct rlimit tight = {10'000, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &tight);
  writer.append(text.data() + 10'000, 90'000);
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, old_action);
  const LogReader reader(directory(), "stdout");
  EXPECT_EQ(reader.state().size, 100'000U);
  EXPECT_EQ(
      read_all(reader, 0),
      text.substr(0, 10'000) + "\n[waybill: 90000 bytes are missing here: the disk of the logs was full]\n");
}

TEST_F(LogFile, AReaderNeverTakesOverwrittenBytesForOlderOnes) {
  std::atomic<bool> stop = false;
  std::thread writing([&] {
    LogWriter writer(directory(), "stdout", kCap);
    const std::string text = stream(0, 1'000'000 * 8);
    for (std::size_t at = 0; at < text.size() && !stop; at += 500)
      writer.append(text.data() + at, std::min<std::size_t>(500, text.size() - at));
  });
  while (!LogReader(directory(), "stdout").ok() || LogReader(directory(), "stdout").state().size < 2 * kCap)
    std::this_thread::yield();
  const LogReader reader(directory(), "stdout");
  std::string piece;
  for (int i = 0; i < 2000; ++i) {
    const LogState state = reader.state();
    const std::uint64_t offset = state.gap_end + static_cast<std::uint64_t>(i) % 4000;
    std::uint64_t next = 0;
    ASSERT_TRUE(reader.read(offset, 300, piece, next));
    if (!piece.starts_with("\n[waybill")) {
      ASSERT_EQ(piece, stream(offset, offset + piece.size()));
    }
  }
  stop = true;
  writing.join();
}

TEST_F(LogFile, WhatAJobPutInItsLogsPlaceIsNotRead) {
  const std::string secret = path_ + "/secret";
  {
    LogWriter(directory(), "secret", kCap).append("x", 1);
  }
  ASSERT_EQ(::symlink(secret.c_str(), (path_ + "/link").c_str()), 0);
  ASSERT_EQ(::link(secret.c_str(), (path_ + "/other").c_str()), 0);
  ASSERT_EQ(::mkfifo((path_ + "/pipe").c_str(), 0600), 0);
  for (const char* name : {"link", "other", "pipe", "none"})
    EXPECT_FALSE(LogReader(directory(), name).ok()) << name;
  // An index that is garbage is no index.
  {
    LogWriter(directory(), "stdout", kCap).append("text\n", 5);
  }
  ASSERT_EQ(::truncate((path_ + "/.stdout.index").c_str(), 3), 0);
  EXPECT_EQ(read_all(LogReader(directory(), "stdout"), 0), "text\n");
}

}  // namespace
}  // namespace waybill::storage
