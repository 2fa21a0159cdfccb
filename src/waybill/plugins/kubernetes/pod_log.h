#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>

#include "waybill/plugins/kubernetes/cluster_connections.h"
#include "waybill/plugins/kubernetes/pod_sight.h"
#include "waybill/plugins/kubernetes/run_log.h"
#include "waybill/ports/clock.h"

namespace waybill::plugins {

// Finds a pod by its name, or by a selector where the name is not known; the newest of several. A PodSight
// without a uid: there is none.
[[nodiscard]] Task<absl::StatusOr<PodSight>> find_pod(std::shared_ptr<ClusterConnection> connection,
                                                      std::string name_space, std::string name,
                                                      std::string selector, std::string main_container);

// Streams a pod's log into the archive while it is written, over broken connections and restarts of either
// side, until the pod's main container has ended and all is there. io thread only.
class PodLog : public std::enable_shared_from_this<PodLog> {
 public:
  struct Parts {
    boost::asio::any_io_executor io;
    ports::Clock& clock;
    std::shared_ptr<ClusterConnection> connection;
    std::shared_ptr<RunLog> archive;
  };
  struct Source {
    std::string name_space;
    std::string pod;
    std::string container;  // "" : the first
  };
  PodLog(Parts parts, Source source, std::function<void()> on_end);

  // Once.
  void start();
  // Nothing more is taken.
  void stop();
  [[nodiscard]] bool has_ended() const { return has_ended_; }
  // Why what is archived may lack its end; "" : it does not.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  static Task<void> run(std::shared_ptr<PodLog> self);
  enum class Step { kAgain, kLater, kDone };
  Task<Step> step();
  Task<absl::Status> stream(PodSight pod, bool follow);

  Parts parts_;
  const Source source_;
  std::function<void()> on_end_;
  bool opened_ = false;
  bool stopped_ = false;
  bool has_ended_ = false;
  LogPosition position_;
  std::uint64_t more_ = 0;  // archived after the position
  std::string problem_;
  std::unique_ptr<kube::ByteStream> bytes_;
};

}  // namespace waybill::plugins
