// waybill-supervise: what `waybill shell-supervise` does, as a small program without the libraries of the
// rest, so that starting it costs next to nothing.

#include <unistd.h>

#include "waybill/plugins/shell/supervisor.h"

int main(int argc, char** argv) {
  ::close(waybill::plugins::kSupervisorProgram);
  return waybill::plugins::supervise(argc, argv);
}
