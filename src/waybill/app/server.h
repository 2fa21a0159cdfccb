#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "waybill/app/system_clock.h"
#include "waybill/base/log.h"
#include "waybill/base/pool.h"
#include "waybill/base/redact.h"
#include "waybill/base/task.h"
#include "waybill/config/config.h"
#include "waybill/engine/instance_identity.h"
#include "waybill/kube/shared_watch.h"
#include "waybill/ports/executor.h"
#include "waybill/ports/job_store.h"

namespace waybill::storage {
class Storage;
class FileLogStore;
class FileResultStore;
}  // namespace waybill::storage
namespace waybill::engine {
class Engine;
}
namespace waybill::history {
struct WatchedCluster;
}
namespace waybill::rest {
class Gateway;
class RestServer;
}  // namespace waybill::rest
namespace waybill::rpc {
class GrpcServer;
}

namespace waybill::app {

class Watching;

// All parts of one server, in the order they stand on each other. io thread only.
class Server {
 public:
  // Opens the jobs directory and the database; blocks. Errors say what could not be opened and why.
  static absl::StatusOr<std::unique_ptr<Server>> open(boost::asio::any_io_executor io, config::Config config,
                                                      Log& log);
  ~Server();

  // Adopts what ran, then listens.
  Task<absl::Status> start();
  // Lets requests end and goes; jobs that run go on.
  Task<void> stop();
  // Loads the file again; if it is wrong, everything stays and the error lists the mistakes.
  Task<absl::Status> reload();

  [[nodiscard]] std::uint16_t port() const;

 private:
  Server(boost::asio::any_io_executor io, config::Config config, engine::InstanceIdentity identity,
         std::vector<ports::SharedDirectory> shared, std::unique_ptr<storage::Storage> storage, Log& log,
         std::unique_ptr<SystemClock> clock);

  Task<absl::Status> reload_once();
  void watch(std::vector<history::WatchedCluster> clusters);
  absl::Status start_grpc();

  boost::asio::any_io_executor io_;
  Log& log_;
  config::Config config_;
  engine::InstanceIdentity identity_;
  std::vector<ports::SharedDirectory> shared_;  // empty where no other server can use the database
  std::unique_ptr<SystemClock> clock_;
  Redactor redactor_;
  std::unique_ptr<storage::Storage> storage_;
  Pool pool_;  // files, starting of processes
  Pool quick_rendering_{1};
  Pool slow_rendering_{1};
  Pool previews_{1};  // templates of callers: they wait for one another alone
  std::unique_ptr<storage::FileLogStore> logs_;
  std::unique_ptr<storage::FileResultStore> results_;
  kube::SharedWatches watches_;  // of all who want to see what happens on clusters
  ports::Executors executors_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<rest::Gateway> gateway_;
  std::unique_ptr<rest::RestServer> rest_;
  std::unique_ptr<rpc::GrpcServer> grpc_;  // nullptr: switched off
  std::unique_ptr<Watching> watching_;
  bool reloading_ = false;
};

}  // namespace waybill::app
