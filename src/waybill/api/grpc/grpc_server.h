#pragma once

#include <absl/status/status.h>
#include <absl/time/time.h>

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "waybill/base/log.h"
#include "waybill/base/pool.h"
#include "waybill/base/task.h"
#include "waybill/domain/caller.h"
#include "waybill/ports/audit_log.h"
#include "waybill/ports/clock.h"
#include "waybill/ports/record_reader.h"

// The gRPC API. The namespace is rpc, so that `grpc` goes on meaning the library.
namespace waybill::rpc {

struct GrpcOptions {
  std::string address = "127.0.0.1:6565";  // HOST:PORT, ":PORT" (every address) or unix:/PATH
  std::string tls_cert, tls_key;           // PEM files; "" : no TLS
  std::string tls_client_ca;               // callers need a certificate of it; "" : they need none
  std::size_t max_request_bytes = 1048576;
  int max_in_flight = 1000;                  // calls that are being answered; more get RESOURCE_EXHAUSTED
  bool read_scoped = false;                  // the run history, whose runs belong to no caller, is for admins
  absl::Duration drain = absl::Seconds(10);  // what stop() grants to calls under way
};

// What a call tells of who sent it.
struct Sender {
  std::string peer;         // the address that connected, "unix" for a local socket
  bool peer_local = false;  // over a unix socket
  std::string tls_user;     // common name of a verified client certificate; "" : none
  std::vector<std::pair<std::string, std::string>> metadata;  // texts only, names in lower case
};

// Everything the API stands on. References outlive the server.
struct GrpcServices {
  ports::RecordReader& records;
  ports::AuditLog& audit;
  ports::Clock& clock;
  Pool& pool;
  Log& log;
  // The caller, name "" where nobody is known. An error refuses the call.
  std::function<Task<absl::StatusOr<domain::Caller>>(Sender)> identify;
};

class Core;

// The gRPC API of one instance: JobService, CoreService, health and reflection. All calls on the io thread;
// what it asks of the ports runs there too.
class GrpcServer {
 public:
  GrpcServer(boost::asio::any_io_executor io, GrpcServices services, GrpcOptions options);
  ~GrpcServer();

  absl::Status start();                      // an error names the address, or the setting that is wrong
  [[nodiscard]] std::uint16_t port() const;  // 0: a unix socket, or not started
  void reload(bool read_scoped);             // address, TLS and limits stay
  // Takes no further calls, lets those under way end, cancels what is still there after `drain`.
  Task<void> stop();

 private:
  std::shared_ptr<Core> core_;
};

}  // namespace waybill::rpc
