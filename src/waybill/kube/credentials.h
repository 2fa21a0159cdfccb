#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>

#include "waybill/base/task.h"
#include "waybill/kube/kubeconfig.h"
#include "waybill/ports/clock.h"

namespace waybill::kube {

// What a call needs to prove who we are, and to know the server by. Holds secrets.
struct Proof {
  std::string authorization;  // of the header; "" : none
  std::string ca;             // PEM, all three; "" : none, or the system's
  std::string certificate;
  std::string key;

  friend bool operator==(const Proof&, const Proof&) = default;
};

// Keeps the proof of an access fresh: files are read again every so often, exec plugins are run again when
// what they gave expires. One refresh at a time, on a thread of its own; who asks meanwhile shares its
// outcome. A file that can't be read for a moment leaves the older content in use. io thread only.
class Credentials {
 public:
  struct Options {
    absl::Duration read_files_every = absl::Minutes(1);
    absl::Duration exec_timeout = absl::Minutes(1);
  };
  Credentials(boost::asio::any_io_executor io, ports::Clock& clock, Access access, Options options);
  ~Credentials();  // stops
  Credentials(const Credentials&) = delete;
  Credentials& operator=(const Credentials&) = delete;

  // FailedPrecondition: a file that can't be read, or a plugin that gave nothing; it says which.
  Task<absl::StatusOr<std::shared_ptr<const Proof>>> proof();
  // The server didn't believe it: the next proof() is made anew.
  void refused(const std::shared_ptr<const Proof>& proof);
  // Ends a plugin that runs. No proof() afterwards.
  void stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace waybill::kube
