#pragma once

// Bytes to a Request. Internal to http/.

#include <boost/beast/core/flat_buffer.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "waybill/api/rest/http/message.h"

namespace waybill::rest {

struct ReadOutcome {
  std::shared_ptr<Request> request;
  bool keep_alive = false;
  bool http_1_0 = false;
  bool gone = false;             // the client has gone or was too slow: nothing to answer
  std::optional<Reply> refused;  // what came is no request
  std::string request_id;

  static ReadOutcome lost() {
    ReadOutcome outcome;
    outcome.gone = true;
    return outcome;
  }
};

// Takes one request out of a buffer, as it fills. Strict where leniency lets a request be smuggled past a
// proxy: one Host, one kind of length, no unknown transfer coding.
class RequestReader {
 public:
  RequestReader(std::size_t max_header_bytes, std::size_t max_body_bytes);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  void take(boost::beast::flat_buffer& buffer);
  [[nodiscard]] bool started() const { return started_; }
  [[nodiscard]] bool headers_just_ended();  // true once
  [[nodiscard]] bool wants_continue() const;
  [[nodiscard]] bool done() const;
  [[nodiscard]] bool problem() const { return refused_.has_value(); }
  [[nodiscard]] std::size_t read_size() const;

  [[nodiscard]] ReadOutcome refused();
  [[nodiscard]] ReadOutcome finish();

 private:
  void check_headers();
  void put(boost::beast::flat_buffer& buffer);

  struct Parser;
  std::unique_ptr<Parser> parser_;
  bool started_ = false;
  bool told_headers_ = false;
  bool checked_ = false;
  std::optional<Reply> refused_;
};

// Whether a request must be answered even when the server is overloaded: probes and metrics.
[[nodiscard]] bool is_vital(const Request& request);

}  // namespace waybill::rest
