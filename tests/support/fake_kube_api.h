#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "waybill/base/status.h"
#include "waybill/kube/api.h"
#include "waybill/ports/wakeup.h"

namespace waybill::testing {

// What a FakeKubeApi answers to one request: a body that the test writes as it goes. io thread only.
class FakeFeed {
 public:
  explicit FakeFeed(const boost::asio::any_io_executor& io) : changed_(io) {}

  FakeFeed& push(std::string bytes) {
    pieces_.emplace_back(std::move(bytes));
    changed_.notify();
    return *this;
  }
  FakeFeed& finish() { return push(""); }
  FakeFeed& fail(absl::Status why) {
    pieces_.emplace_back(std::move(why));
    changed_.notify();
    return *this;
  }
  [[nodiscard]] bool canceled() const { return canceled_; }
  // How often it was asked for more, and what is left that nobody has read.
  [[nodiscard]] int reads() const { return reads_; }
  [[nodiscard]] std::size_t unread() const { return pieces_.size(); }

  static Task<absl::StatusOr<std::string>> read(std::shared_ptr<FakeFeed> self) {
    ++self->reads_;
    while (self->pieces_.empty() && !self->canceled_) co_await self->changed_.wait();
    if (self->canceled_) co_return absl::CancelledError("canceled");
    absl::StatusOr<std::string> piece = std::move(self->pieces_.front());
    // An end stays the end.
    if (piece.ok() && !piece->empty()) self->pieces_.pop_front();
    co_return piece;
  }
  void cancel() {
    canceled_ = true;
    changed_.notify();
  }

 private:
  ports::Wakeup changed_;
  std::deque<absl::StatusOr<std::string>> pieces_;
  bool canceled_ = false;
  int reads_ = 0;
};

// An API whose answers the test's handler gives. What it returns may be filled later.
class FakeKubeApi : public kube::Api {
 public:
  using Handler = std::function<std::shared_ptr<FakeFeed>(const kube::ApiRequest& request)>;
  FakeKubeApi(boost::asio::any_io_executor io, Handler handler)
      : io_(std::move(io)), handler_(std::move(handler)) {}

  Task<absl::StatusOr<std::string>> send(kube::ApiRequest request) override {
    const std::shared_ptr<FakeFeed> feed = ask(request);
    std::string body;
    while (true) {
      absl::StatusOr<std::string> bytes = co_await FakeFeed::read(feed);
      WB_CO_TRY(bytes);
      if (bytes->empty()) co_return body;
      body += *bytes;
    }
  }
  std::unique_ptr<kube::ByteStream> open(kube::ApiRequest request) override {
    return std::make_unique<Stream>(ask(request));
  }

  [[nodiscard]] std::shared_ptr<FakeFeed> feed() const { return std::make_shared<FakeFeed>(io_); }
  [[nodiscard]] const std::vector<kube::ApiRequest>& requests() const { return requests_; }

 private:
  class Stream : public kube::ByteStream {
   public:
    explicit Stream(std::shared_ptr<FakeFeed> feed) : feed_(std::move(feed)) {}
    Task<absl::StatusOr<std::string>> read() override { return FakeFeed::read(feed_); }
    void cancel() override { feed_->cancel(); }

   private:
    std::shared_ptr<FakeFeed> feed_;
  };

  std::shared_ptr<FakeFeed> ask(const kube::ApiRequest& request) {
    requests_.push_back(request);
    return handler_(request);
  }

  boost::asio::any_io_executor io_;
  Handler handler_;
  std::vector<kube::ApiRequest> requests_;
};

// The value of a parameter; "" : it is not there.
inline std::string parameter(const kube::ApiRequest& request, const std::string& name) {
  for (const auto& [key, value] : request.query) {
    if (key == name) return value;
  }
  return "";
}

}  // namespace waybill::testing
