#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "waybill/kube/api.h"

namespace waybill::bench {

// An API whose answers lie in memory; they come in the pieces that a network would make of them.
class BufferApi : public kube::Api {
 public:
  // The body of an answer, which outlives the stream. `ended` is called when all of it was read.
  struct Answer {
    const std::string* body = nullptr;
    std::function<void()> ended = {};
  };
  using Handler = std::function<Answer(const kube::ApiRequest&)>;
  explicit BufferApi(Handler handler) : handler_(std::move(handler)) {}

  Task<absl::StatusOr<std::string>> send(kube::ApiRequest) override {
    co_return absl::UnavailableError("this API only streams");
  }
  std::unique_ptr<kube::ByteStream> open(kube::ApiRequest request) override {
    return std::make_unique<Stream>(handler_(request));
  }

 private:
  class Stream : public kube::ByteStream {
   public:
    explicit Stream(Answer answer) : answer_(std::move(answer)) {}
    Task<absl::StatusOr<std::string>> read() override {
      const std::size_t size = std::min(kPiece, answer_.body->size() - at_);
      std::string piece = answer_.body->substr(at_, size);
      at_ += size;
      if (piece.empty() && answer_.ended) answer_.ended();
      co_return piece;
    }
    void cancel() override {}

   private:
    static constexpr std::size_t kPiece = 16384;
    Answer answer_;
    std::size_t at_ = 0;
  };

  Handler handler_;
};

}  // namespace waybill::bench
