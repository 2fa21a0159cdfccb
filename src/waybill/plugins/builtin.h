#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <map>
#include <string>

#include "waybill/base/pool.h"
#include "waybill/plugins/kubernetes/kubernetes_options.h"
#include "waybill/plugins/shell/shell_config.h"
#include "waybill/ports/clock.h"
#include "waybill/ports/executor.h"

namespace waybill::kube {
class SharedWatches;
}

namespace waybill::plugins {

// What the executors stand on. References outlive every task of `io`.
struct ExecutorEnvironment {
  boost::asio::any_io_executor io;
  Pool& pool;
  ports::Clock& clock;
  ports::Nudge nudge;  // may be called from the io thread and before make_executors() has returned
  ShellOptions shell;
  kube::SharedWatches* watches = nullptr;  // nullptr: without the executors that need a cluster
  KubernetesOptions kubernetes = {};
};

// Every executor this program has, by plugin name; the list is written by hand.
[[nodiscard]] ports::Executors make_executors(ExecutorEnvironment environment);

// The same by traits alone: what a configuration is held against.
[[nodiscard]] std::map<std::string, ports::ExecutorTraits> builtin_traits();

}  // namespace waybill::plugins
