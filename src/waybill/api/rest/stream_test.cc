#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/json.hpp>
#include <memory>
#include <string>
#include <vector>

#include "waybill/api/rest/api_fixture_test.h"

// Logs, lines and events: what is answered piece by piece.
namespace waybill::rest {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Keeps what was written; waits until it is woken, or not at all.
class FakeSink : public StreamSink {
 public:
  explicit FakeSink(boost::asio::io_context& io) : timer_(io) {}
  std::string text;
  std::vector<std::string> writes;
  bool failed = false;
  std::function<void()> on_wait;  // instead of the time that passes

  Task<bool> write(std::string bytes) override {
    text += bytes;
    if (!bytes.empty()) writes.push_back(std::move(bytes));
    co_return open_;
  }
  Task<bool> wait(absl::Duration) override {
    if (on_wait) {
      on_wait();
      co_return open_;
    }
    if (!std::exchange(woken_, false)) {
      timer_.expires_at(std::chrono::steady_clock::time_point::max());
      auto [ignored] = co_await timer_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
      static_cast<void>(ignored);
      woken_ = false;
    }
    co_return open_;
  }
  void wake() override {
    woken_ = true;
    timer_.cancel();
  }
  [[nodiscard]] bool open() const override { return open_; }
  void fail() override { failed = true; }
  void close() {
    open_ = false;
    wake();
  }

 private:
  boost::asio::steady_timer timer_;
  bool open_ = true;
  bool woken_ = false;
};

class StreamTest : public ApiFixture {
 protected:
  std::shared_ptr<FakeSink> sink() { return std::make_shared<FakeSink>(io_.context()); }
  // A stream that ends by itself.
  std::string whole(const Answer& answer) {
    if (!answer.reply.stream) return answer.text;
    const auto to = sink();
    io_.run(answer.reply.stream(to));
    return to->text;
  }
  // Runs beside the test until its sink is closed.
  std::shared_ptr<FakeSink> begin(const Answer& answer) {
    auto to = sink();
    ++running_;
    boost::asio::co_spawn(io_.context(), answer.reply.stream(to), [this](const std::exception_ptr& problem) {
      EXPECT_FALSE(problem);
      --running_;
    });
    return to;
  }
  void end(const std::shared_ptr<FakeSink>& to) {
    const int before = running_;
    to->close();
    io_.wait_until([&] { return running_ < before; });
  }
  void happen(const std::string& id, const std::string& to, const std::string& user = "alice") {
    events_.append(id, {{"to", to}, {"user", user}, {"token", "hidden"}});
    changes_.notify();
  }
  int running_ = 0;
};

std::string ten_lines() {
  std::string text;
  for (int i = 1; i <= 10; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

TEST_F(StreamTest, ALogIsAnsweredWholeInPartsAndFromItsEnd) {
  add_job("j1").state.status = domain::JobStatus::kSucceeded;
  const std::string text = ten_lines();
  logs_.logs["j1/1/stdout"] = text;
  const Answer all = ask("GET /job/j1/stdout");
  EXPECT_EQ(all.text, text);
  EXPECT_THAT(all.reply.content_type, HasSubstr("text/plain"));
  EXPECT_EQ(all.header("X-Log-Size"), "71");
  EXPECT_EQ(ask("GET /job/j1/stderr").text, "");
  EXPECT_EQ(ask("GET /job/j1/stdout?offset=7").text, text.substr(7));
  EXPECT_EQ(ask("GET /job/j1/stdout?offset=1000").text, "");
  EXPECT_EQ(ask("GET /job/j1/stdout?tail=2").text, "line 9\nline 10\n");
  EXPECT_EQ(ask("GET /job/j1/stdout?attempt=1").text, text);
  EXPECT_EQ(ask("GET /job/j1/stdout?attempt=2").status, 404U);
  EXPECT_EQ(ask("GET /job/nope/stdout").status, 404U);
  for (const char* query :
       {"offset=-1", "offset=x", "tail=x", "attempt=x", "follow=perhaps", "offset=99999999999999999999999"}) {
    EXPECT_EQ(ask(std::string("GET /job/j1/stdout?") + query).status, 400U) << query;
  }
}

TEST_F(StreamTest, RangesOfALog) {
  add_job("j1");
  logs_.logs["j1/1/stdout"] = ten_lines();
  Request part = request("GET /job/j1/stdout");
  part.headers.add("Range", "bytes=0-5");
  const Answer answer = ask(part);
  EXPECT_EQ(answer.status, 206U);
  EXPECT_EQ(answer.text, "line 1");
  EXPECT_EQ(answer.header("Content-Range"), "bytes 0-5/71");
  Request beyond = request("GET /job/j1/stdout");
  beyond.headers.add("Range", "bytes=71-");
  EXPECT_EQ(ask(beyond).status, 416U);
  EXPECT_EQ(ask(beyond).header("Content-Range"), "bytes */71");
  logs_.gap_begin = 10;
  logs_.gap_end = 20;
  EXPECT_EQ(ask(part).status, 200U);  // bytes can't be counted over a gap
  EXPECT_THAT(ask(part).text, HasSubstr("[gap]\n"));
}

TEST_F(StreamTest, ALongLogIsStreamedInPieces) {
  add_job("j1");
  std::string text;
  while (text.size() < 300'000) text += "0123456789abcdef\n";
  logs_.logs["j1/1/stdout"] = text;
  const Answer answer = ask("GET /job/j1/stdout");
  ASSERT_TRUE(answer.reply.stream);
  EXPECT_EQ(whole(answer), text);
}

TEST_F(StreamTest, FollowingEndsWithTheJobAfterItsLastLine) {
  domain::Job& job = add_job("j1");
  job.state.status = domain::JobStatus::kRunning;
  logs_.logs["j1/1/stdout"] = "first\n";
  const Answer answer = ask("GET /job/j1/stdout?follow=true");
  const auto to = sink();
  int waits = 0;
  to->on_wait = [&] {
    if (++waits == 1) logs_.logs["j1/1/stdout"] += "second\n";
    if (waits == 2) {
      job.state.status = domain::JobStatus::kSucceeded;
      logs_.logs["j1/1/stdout"] += "last\n";
    }
  };
  io_.run(answer.reply.stream(to));
  EXPECT_EQ(to->text, "first\nsecond\nlast\n");
  EXPECT_EQ(waits, 2);
  EXPECT_FALSE(to->failed);
}

TEST_F(StreamTest, FollowingThatIsCutShortDoesNotLookWhole) {
  add_job("j1").state.status = domain::JobStatus::kRunning;
  logs_.logs["j1/1/stdout"] = "first\n";
  const Answer answer = ask("GET /job/j1/stdout?follow=true");
  const auto to = sink();
  to->on_wait = [&] { to->close(); };
  io_.run(answer.reply.stream(to));
  EXPECT_EQ(to->text, "first\n");
  EXPECT_TRUE(to->failed);
}

TEST_F(StreamTest, LinesOfJobsComePageByPageAndNameTheNextOne) {
  for (int i = 0; i < 3; ++i) add_job("j" + std::to_string(i));
  int asked = 0;
  jobs_.on_list = [&](const ports::PageRequest& page) {
    ports::JobPage answer;
    for (std::size_t i = 0; i < page.limit; ++i) answer.jobs.push_back(jobs_.jobs.begin()->second);
    answer.next_cursor = "c" + std::to_string(++asked);
    return answer;
  };
  Request lines = request("GET /jobs?limit=150");
  lines.headers.add("Accept", "application/jsonl");
  const Answer answer = ask(lines);
  EXPECT_EQ(answer.reply.content_type, "application/jsonl");
  const std::string text = whole(answer);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 151);
  EXPECT_TRUE(text.ends_with("{\"next_cursor\":\"c2\"}\n"));
  EXPECT_EQ(jobs_.pages.at(0).limit, 101U);
  EXPECT_EQ(jobs_.pages.at(1).limit, 49U);
  EXPECT_EQ(jobs_.pages.at(1).cursor, "c1");
}

TEST_F(StreamTest, MembersOfEventsThatSayNothingAreLeftOut) {
  events_.append("j1", {{"to", "NEW"},
                        {"name", ""},
                        {"tags", boost::json::array()},
                        {"attempt", 0},
                        {"from", nullptr},
                        {"late", false},
                        {"user", "alice"}});
  const auto to = begin(ask("GET /events?last_event_id=0"));
  io_.wait_until([&] { return to->text.find("\"NEW\"") != std::string::npos; });
  const std::size_t data = to->text.find("data: ") + 6;
  boost::json::object body =
      boost::json::parse(to->text.substr(data, to->text.find('\n', data) - data)).as_object();
  body.erase("at");
  EXPECT_EQ(body, boost::json::parse(R"({"type":"job","id":"j1","to":"NEW","user":"alice"})").as_object());
  end(to);
}

TEST_F(StreamTest, EventsAreToldAsTheyComeWithoutSecrets) {
  happen("old", "NEW");
  const auto to = begin(ask("GET /events"));
  io_.wait_until([&] { return changes_.listeners.size() == 1; });
  io_.wait_until([&] { return events_.reads > 0; });
  happen("j1", "NEW");
  io_.wait_until([&] { return to->text.find("\"NEW\"") != std::string::npos; });
  EXPECT_THAT(to->text, HasSubstr("id: 2\nevent: job\ndata: {\"to\":\"NEW\""));
  EXPECT_THAT(to->text, HasSubstr("\"id\":\"j1\""));
  EXPECT_THAT(to->text, Not(HasSubstr("hidden")));
  EXPECT_THAT(to->text, Not(HasSubstr("old")));
  end(to);
  io_.wait_until([&] { return changes_.listeners.empty(); });
}

TEST_F(StreamTest, WhatHappensAfterTheHeadIsToldAlthoughTheStreamBeginsLater) {
  happen("old", "NEW");
  const Answer answer = ask("GET /events");
  happen("j1", "NEW");
  const auto to = begin(answer);
  happen("j2", "NEW");
  io_.wait_until([&] { return to->text.find("\"j2\"") != std::string::npos; });
  EXPECT_THAT(to->text, HasSubstr("\"j1\""));
  EXPECT_THAT(to->text, Not(HasSubstr("old")));
  end(to);
}

TEST_F(StreamTest, OneReadServesAllListeners) {
  std::vector<std::shared_ptr<FakeSink>> all;
  const Answer answer = ask("GET /events");
  for (int i = 0; i < 200; ++i) all.push_back(begin(answer));
  io_.wait_until([&] { return events_.reads > 0; });
  const int before = events_.reads;
  happen("j1", "NEW");
  for (const auto& one : all) io_.wait_until([&] { return one->text.find("j1") != std::string::npos; });
  EXPECT_LE(events_.reads - before, 3);
  for (const auto& one : all) end(one);
}

TEST_F(StreamTest, LastEventIdGoesOnWhereItBroke) {
  for (int i = 1; i <= 5; ++i) happen("j" + std::to_string(i), "NEW");
  Request again = request("GET /events");
  again.headers.add("Last-Event-ID", "3");
  const auto to = begin(ask(again));
  io_.wait_until([&] { return to->text.find("j5") != std::string::npos; });
  happen("j6", "NEW");
  io_.wait_until([&] { return to->text.find("j6") != std::string::npos; });
  EXPECT_THAT(to->text, Not(HasSubstr("\"j3\"")));
  for (const char* id : {"\"j4\"", "\"j5\"", "\"j6\""}) {
    EXPECT_EQ(to->text.find(id), to->text.rfind(id)) << id;
  }
  end(to);
}

TEST_F(StreamTest, APositionThatIsForgottenIsResetAndOneThatIsNoneRefused) {
  for (int i = 1; i <= 5; ++i) happen("j" + std::to_string(i), "NEW");
  events_.oldest = 4;
  const auto to = begin(ask("GET /events?last_event_id=2"));
  io_.wait_until([&] { return to->text.find("event: reset") != std::string::npos; });
  EXPECT_THAT(to->text, HasSubstr("id: 5\nevent: reset\n"));
  end(to);
  EXPECT_EQ(ask("GET /events?last_event_id=nonsense").status, 400U);
}

TEST_F(StreamTest, FiltersNarrowTheEvents) {
  happen("j1", "NEW");
  happen("j1", "FAILED", "bob");
  happen("j2", "FAILED");
  const auto to = begin(ask("GET /events?last_event_id=0&status=FAILED,KILLED&user=alice"));
  io_.wait_until([&] { return to->text.find("j2") != std::string::npos; });
  EXPECT_THAT(to->text, Not(HasSubstr("j1")));
  end(to);
}

TEST_F(StreamTest, ReadScopedHearsOnesOwnEventsAlone) {
  options_.auth.read_scoped = true;
  happen("j1", "NEW", "alice");
  happen("j2", "NEW", "bob");
  EXPECT_EQ(ask("GET /events", "", "").status, 401U);
  const auto to = begin(ask("GET /events?last_event_id=0", "", "bob"));
  io_.wait_until([&] { return to->text.find("j2") != std::string::npos; });
  EXPECT_THAT(to->text, Not(HasSubstr("j1")));
  end(to);
}

}  // namespace
}  // namespace waybill::rest
