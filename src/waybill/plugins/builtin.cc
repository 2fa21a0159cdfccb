#include "waybill/plugins/builtin.h"

#include <memory>
#include <utility>

#include "waybill/plugins/ping/ping.h"
#include "waybill/plugins/ping/ping_config.h"
#include "waybill/plugins/shell/shell.h"

namespace waybill::plugins {

ports::Executors make_executors(ExecutorEnvironment environment) {
  ports::Executors executors;
  executors["ping"] = std::make_unique<Ping>(environment.io, environment.clock, environment.nudge);
  executors["shell"] = std::make_unique<Shell>(environment.io, environment.pool, environment.nudge,
                                               std::move(environment.shell));
  return executors;
}

std::map<std::string, ports::ExecutorTraits> builtin_traits() {
  return {{"ping", ping_traits()}, {"shell", shell_traits()}};
}

}  // namespace waybill::plugins
