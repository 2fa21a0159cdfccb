#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "waybill/base/task.h"

namespace waybill::kube {

// One HTTP exchange to be made. Holds secrets: never to be printed.
struct Exchange {
  std::string method = "GET";
  std::string url;
  std::vector<std::string> headers = {};  // "Name: value"
  std::string body = {};
  std::string connect_to = {};  // "HOST:PORT" instead of the URL's
  std::string proxy = {};       // "" : what the environment says
  bool verify = true;           // the peer's certificate and its name
  std::string ca = {};          // PEM; "" : the system's
  std::string certificate = {};
  std::string key = {};
  bool stream = false;  // read slowly, for long: a connection of its own
  absl::Duration connect_timeout = absl::Seconds(10);
  absl::Duration timeout = absl::InfiniteDuration();  // of the whole
  absl::Duration head_silence = absl::Minutes(1);     // without a byte before the answer's head is there
  absl::Duration silence = absl::InfiniteDuration();  // without a byte of the body, while somebody reads
  absl::Duration peer_timeout = absl::Minutes(1);
};

struct AnswerHead {
  int status = 0;
  std::string content_type;
  std::string retry_after;
};

// An exchange under way. Shared by the transport's thread and one reader on the io thread. At most some 256
// KiB of a body wait to be read; then the peer is slowed down. Errors by their word: "refused", "unresolved",
// "lost", "timeout", "bad_answer" (Unavailable), "tls" (FailedPrecondition, Unavailable if it may pass),
// Cancelled.
class Transfer {
 public:
  struct Shared;
  explicit Transfer(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
  ~Transfer();  // cancels
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  Task<absl::StatusOr<AnswerHead>> head();
  // More of the body; "" at its end.
  Task<absl::StatusOr<std::string>> read();
  void cancel();

 private:
  std::shared_ptr<Shared> shared_;
};

// Speaks HTTP by libcurl on a thread of its own. Redirects are not followed.
class Transport {
 public:
  Transport();
  ~Transport();  // stops
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  [[nodiscard]] std::unique_ptr<Transfer> start(Exchange exchange);
  // Cancels what is under way and all that is started from now on.
  void stop();

 private:
  struct Loop;
  std::shared_ptr<Loop> loop_;
};

}  // namespace waybill::kube
