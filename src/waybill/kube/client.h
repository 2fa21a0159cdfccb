#pragma once

#include <absl/time/time.h>

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>

#include "waybill/kube/api.h"
#include "waybill/kube/kubeconfig.h"
#include "waybill/ports/clock.h"

namespace waybill::kube {

struct ClientOptions {
  std::string user_agent = "waybill";
  absl::Duration connect_timeout = absl::Seconds(10);  // with TLS
  absl::Duration call_timeout = absl::Minutes(1);      // of a send(); streams have none
  absl::Duration exec_timeout = absl::Minutes(1);      // of an exec plugin
  absl::Duration read_files_every = absl::Minutes(1);  // token, CA and certificate files
  // A peer that acknowledges nothing for so long is gone (TCP_USER_TIMEOUT; keepalive probes after half of
  // it).
  absl::Duration peer_timeout = absl::Minutes(1);
};

// The API over HTTPS. Its own thread speaks with the network, another runs exec plugins and reads files, so
// the io thread never waits. TLS is verified, host name included, unless the kubeconfig says otherwise. A
// call that is answered 401 is repeated once with fresh credentials. One Client a cluster, shared by all who
// use it.
//
// Destroy it before the io_context. That ends what is open with Cancelled.
class Client : public Api {
 public:
  Client(boost::asio::any_io_executor io, ports::Clock& clock, Access access, ClientOptions options = {});
  ~Client() override;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  Task<absl::StatusOr<std::string>> send(ApiRequest request) override;
  std::unique_ptr<ByteStream> open(ApiRequest request) override;

  // Of the access; for messages and for finding two configuration entries of one server.
  [[nodiscard]] const std::string& server() const;
  [[nodiscard]] const std::string& name_space() const;

 private:
  struct Core;
  class Stream;
  std::shared_ptr<Core> core_;
};

}  // namespace waybill::kube
