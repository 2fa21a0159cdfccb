#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "waybill/base/status.h"
#include "waybill/storage/writer.h"

namespace waybill::storage {
namespace {

// Whose transactions begin when the test says so.
class GatedSession : public Session {
 public:
  GatedSession(std::atomic<int>& begun, std::shared_future<absl::Status> begins)
      : begun_(begun), begins_(std::move(begins)) {}

  absl::StatusOr<std::vector<Rows>> run(std::span<const Call> calls) override {
    return std::vector<Rows>(calls.size());
  }
  absl::Status run_script(const std::string& /*sql*/) override { return absl::OkStatus(); }
  absl::Status begin() override {
    ++begun_;
    begun_.notify_all();
    return begins_.get();
  }
  absl::Status commit(std::span<const Call> /*last*/) override { return absl::OkStatus(); }
  void rollback() override {}

 private:
  std::atomic<int>& begun_;
  std::shared_future<absl::Status> begins_;
};

// Says how it ended: OK after its commit.
class Noted : public Operation {
 public:
  explicit Noted(std::promise<absl::Status>& end) : end_(end) {}
  [[nodiscard]] std::size_t rows() const override { return 1; }
  void start(Batch& /*batch*/) override {}
  void abandon() override {}
  void answer() override { end_.set_value(absl::OkStatus()); }
  void fail(absl::Status status) override { end_.set_value(std::move(status)); }

 private:
  std::promise<absl::Status>& end_;
};

class WriterLimitsTest : public ::testing::Test {
 protected:
  std::unique_ptr<Writer> writer(WriterOptions options) {
    const std::shared_future<absl::Status> begins = begins_.get_future().share();
    return std::make_unique<Writer>([this, begins] { return std::make_unique<GatedSession>(begun_, begins); },
                                    options, [](std::vector<ports::ChangeNotice>) {}, log_);
  }

  std::atomic<int> begun_ = 0;
  std::promise<absl::Status> begins_;
  Log log_{LogLevel::kError};
};

TEST_F(WriterLimitsTest, WhatIsTooMuchIsRefusedAtOnceAndWhatWasTakenIsDone) {
  std::promise<absl::Status> in_progress;
  std::promise<absl::Status> first;
  std::promise<absl::Status> second;
  std::promise<absl::Status> too_many;
  const std::unique_ptr<Writer> busy = writer({.threads = 1, .capacity = 2, .group = 1});
  busy->add(std::make_unique<Noted>(in_progress));
  begun_.wait(0);
  busy->add(std::make_unique<Noted>(first));
  busy->add(std::make_unique<Noted>(second));
  busy->add(std::make_unique<Noted>(too_many));
  const absl::Status refused = too_many.get_future().get();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(error_word(refused), "too_many_requests");
  begins_.set_value(absl::OkStatus());
  for (std::promise<absl::Status>* taken : {&in_progress, &first, &second}) {
    EXPECT_TRUE(taken->get_future().get().ok());
  }
}

TEST_F(WriterLimitsTest, ADatabaseThatStaysAwayIsGivenUpAfterAWhile) {
  std::promise<absl::Status> end;
  begins_.set_value(unavailable("away"));
  const std::unique_ptr<Writer> vain = writer({.patience = std::chrono::milliseconds(100)});
  vain->add(std::make_unique<Noted>(end));
  EXPECT_EQ(end.get_future().get().code(), absl::StatusCode::kUnavailable);
  EXPECT_GT(begun_, 1) << "it was tried again";
}

}  // namespace
}  // namespace waybill::storage
