#pragma once

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/fake_kube_api.h"
#include "tests/support/test_io.h"
#include "tests/support/watch_notes.h"
#include "waybill/base/status.h"
#include "waybill/kube/reflector.h"

// The points of "what a correct list and watch does", each on its own, with a scripted API and a clock that
// the test moves.
namespace waybill::kube {

using waybill::testing::FakeFeed;
using waybill::testing::parameter;

inline std::string object(const std::string& name, int version, const std::string& more = "") {
  return R"({"metadata":{"uid":"u-)" + name + R"(","name":")" + name + R"(","resourceVersion":")" +
         std::to_string(version) + "\"" + more + "}}";
}
inline std::string event(const std::string& type, const std::string& what) {
  return R"({"type":")" + type + R"(","object":)" + what + "}\n";
}
inline std::string bookmark(int version, bool end = false) {
  const std::string mark = end ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "";
  return R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":")" + std::to_string(version) + "\"" +
         mark + "}}}\n";
}
inline std::string status_object(int code, const std::string& reason, const std::string& details = "{}") {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"said so","reason":")" + reason +
         R"(","details":)" + details + R"(,"code":)" + std::to_string(code) + "}";
}
inline std::string list(int version, const std::vector<std::string>& items, const std::string& token = "") {
  std::string joined;
  for (const std::string& item : items) joined += (joined.empty() ? "" : ",") + item;
  return R"({"items":[)" + joined + R"(],"kind":"PodList","metadata":{"resourceVersion":")" +
         std::to_string(version) + R"(","continue":")" + token + R"("}})";
}
inline absl::Status refusal(int code, const std::string& reason, const std::string& details = "{}",
                            const std::string& retry_after = "") {
  return to_status(parse_api_error(code, status_object(code, reason, details), retry_after), "GET");
}

class ReflectorTest : public ::testing::Test {
 protected:
  ReflectorTest()
      : clock_(io_.context()),
        api_(io_.executor(), [this](const ApiRequest& request) { return next(request); }) {
    options_.listing.resource = pods();
    options_.listing.name_space = "ns";
    options_.streaming_lists = false;
  }
  ~ReflectorTest() override {
    if (reflector_ != nullptr) stop();
  }

  // The feed of the next request; requests take them in that order, later ones are silent.
  std::shared_ptr<FakeFeed> prepare() {
    auto feed = api_.feed();
    prepared_.push_back(feed);
    return feed;
  }
  std::shared_ptr<FakeFeed> next(const ApiRequest&) {
    auto feed = prepared_.empty() ? api_.feed() : prepared_.front();
    if (!prepared_.empty()) prepared_.pop_front();
    return feed;
  }
  void start() {
    reflector_ = std::make_unique<Reflector>(io_.executor(), api_, clock_, log_, options_, notes_);
    boost::asio::co_spawn(io_.context(), reflector_->run(), [this](std::exception_ptr) { ended_ = true; });
    settle();
  }
  void settle() {
    for (int round = 0; round < 3; ++round) io_.drain();
  }
  void stop() {
    reflector_->stop();
    io_.wait_until([this] { return ended_; });
    settle();
  }
  // Moves the clock in small steps until so many requests were made; answers how long that took.
  absl::Duration until_requests(std::size_t count, absl::Duration step = absl::Milliseconds(10)) {
    absl::Duration passed;
    while (api_.requests().size() < count && passed < absl::Hours(1)) {
      clock_.advance(step);
      passed += step;
      settle();
    }
    return passed;
  }
  const ApiRequest& request(std::size_t number) { return api_.requests().at(number); }
  bool is_watch(std::size_t number) { return parameter(request(number), "watch") == "1"; }
  void list_of_one() { prepare()->push(list(10, {object("a", 4)})).finish(); }

  waybill::testing::TestIo io_;
  waybill::testing::FakeClock clock_;
  waybill::testing::FakeKubeApi api_;
  Log log_{LogLevel::kError};
  ReflectorOptions options_;
  waybill::testing::WatchNotes notes_;
  std::unique_ptr<Reflector> reflector_;
  std::deque<std::shared_ptr<FakeFeed>> prepared_;
  bool ended_ = false;
};

}  // namespace waybill::kube
