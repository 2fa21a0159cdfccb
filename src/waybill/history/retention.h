#pragma once

#include <absl/time/time.h>

#include <boost/asio/any_io_executor.hpp>
#include <memory>

#include "waybill/base/log.h"
#include "waybill/base/task.h"
#include "waybill/ports/clock.h"
#include "waybill/ports/record_store.h"

namespace waybill::history {

// Removes records that ended longer ago than `keep`, in small batches, with what belonged to them alone; once
// a minute. io thread only.
class Retention {
 public:
  Retention(boost::asio::any_io_executor io, ports::RecordStore& records, ports::Clock& clock, Log& log,
            absl::Duration keep);
  ~Retention();
  Retention(const Retention&) = delete;
  Retention& operator=(const Retention&) = delete;

  void start();
  // One round; for tests, and what start() does each minute.
  Task<void> clean();
  Task<void> stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace waybill::history
