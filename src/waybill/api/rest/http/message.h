#pragma once

#include <absl/time/time.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "waybill/base/task.h"

// One request and one reply, as handlers see them: no Beast in here.
namespace waybill::rest {

enum class Method { kGet, kHead, kPost, kPut, kDelete, kPatch, kOptions, kOther };
[[nodiscard]] std::string_view to_string(Method method);

// Header lines in their order; names compare in any case.
class Headers {
 public:
  // The first one's value, or nullptr.
  [[nodiscard]] const std::string* find(std::string_view name) const;
  [[nodiscard]] std::size_t count(std::string_view name) const;
  void add(std::string name, std::string value) { lines_.emplace_back(std::move(name), std::move(value)); }
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& lines() const { return lines_; }

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
};

[[nodiscard]] bool same_letters(std::string_view a, std::string_view b);  // ASCII, any case
[[nodiscard]] std::string_view trimmed(std::string_view text);            // of spaces and tabs

struct Request {
  Method method = Method::kGet;
  std::string method_name;
  std::string target;  // path and query as sent; begins with '/', or is "*"
  Headers headers;
  std::string body;
  std::string id;           // for X-Request-Id: the client's own if it is a sane one
  std::string peer;         // the address that connected, "unix" for a local socket
  bool peer_local = false;  // over a unix socket
  std::string tls_user;     // common name of a verified client certificate; "" : none
};

// Where a streaming reply goes. On the io thread only.
class StreamSink {
 public:
  virtual ~StreamSink() = default;
  // Comes back when the bytes are with the kernel; false once the client has gone.
  virtual Task<bool> write(std::string bytes) = 0;
  // Sleeps for `duration`, until wake() or until the client has gone or the server stops; false in the last
  // two cases.
  virtual Task<bool> wait(absl::Duration duration) = 0;
  virtual void wake() = 0;
  [[nodiscard]] virtual bool open() const = 0;
  // Cuts the connection after the stream, so that the client sees that the body is not whole.
  virtual void fail() = 0;
};
using Stream = std::function<Task<void>(std::shared_ptr<StreamSink>)>;

struct Reply {
  unsigned status = 200;
  std::string content_type = "application/json";  // "" : none
  Headers headers;
  std::string body;
  std::string_view fixed_body;  // instead of body: bytes that live as long as the program
  Stream stream;                // instead of a body
  bool may_compress = true;

  [[nodiscard]] std::string_view content() const { return fixed_body.empty() ? body : fixed_body; }
};

// Run on the server's io thread: it may co_await and must never block.
using Handler = std::function<Task<Reply>(std::shared_ptr<Request>)>;

}  // namespace waybill::rest
