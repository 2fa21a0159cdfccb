#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "waybill/base/log.h"
#include "waybill/base/redact.h"
#include "waybill/base/task.h"
#include "waybill/domain/record.h"
#include "waybill/history/application.h"
#include "waybill/history/decision.h"
#include "waybill/history/selector.h"
#include "waybill/kube/reflector.h"
#include "waybill/ports/clock.h"
#include "waybill/ports/record_store.h"

namespace waybill::history {

// Reads one SparkApplication by its name. NotFound: there is none. Any other error: that is not known.
class ObjectReader {
 public:
  virtual ~ObjectReader() = default;
  virtual Task<absl::StatusOr<boost::json::object>> get(std::string name_space, std::string name) = 0;
};

struct RecorderOptions {
  domain::WatchScope scope;
  LabelSelector selector;  // scope.selector, parsed
  bool mask_manifests = true;
  std::size_t manifest_bytes = 1'048'576;
  std::size_t batch_events = 500;                        // of one transaction, at most
  std::size_t batch_bytes = 16U << 20U;                  // as sent
  absl::Duration batch_time = absl::Milliseconds(200);   // that an event waits for others, at most
  absl::Duration retry_first = absl::Milliseconds(200);  // of a database that is away; doubled
  absl::Duration retry_most = absl::Seconds(30);
  std::size_t sweep_page = 1000;
};

struct RecorderPorts {
  boost::asio::any_io_executor io;
  ports::RecordStore& records;
  ports::Clock& clock;
  Log& log;
  const Redactor& redactor;
  ObjectReader* objects = nullptr;  // nullptr: what is not in a list, or was deleted, is gone
  RenderAttributes render = {};
};

struct RecorderMetrics {
  std::uint64_t events = 0;     // that came, items of lists too
  std::uint64_t batches = 0;    // committed
  std::uint64_t retries = 0;    // of batches that the database did not take at once
  std::uint64_t conflicts = 0;  // objects that another watcher had changed meanwhile
  std::uint64_t dead_letters = 0;
  std::uint64_t lost = 0;   // runs closed as Lost
  std::size_t waiting = 0;  // events not yet committed
  absl::Time committed_at = absl::InfinitePast();
};

// Records what one watch sees. What comes is gathered, put through the rules event by event, and committed
// with the position that it takes the watch to (R17, R18); a database that is away is waited for, with the
// next events held back. io thread only.
class Recorder : public kube::WatchSink {
 public:
  Recorder(RecorderPorts ports, RecorderOptions options);
  ~Recorder() override;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Reads what it needs of the database; answers the position to watch from, "" for a list.
  Task<absl::StatusOr<std::string>> start();
  // Commits what has come.
  Task<void> flush();
  // Reads objects that left the selection; once a minute is right.
  Task<void> read_outside();
  // What has come and is not committed is left to the next start. join() waits for what is being committed.
  void stop();
  Task<void> join();
  [[nodiscard]] RecorderMetrics metrics() const;
  [[nodiscard]] const domain::WatchScope& scope() const;

  Task<void> on_list_begin() override;
  Task<absl::Status> on_item(kube::Received item) override;
  Task<void> on_list_end(std::string resource_version) override;
  Task<absl::Status> on_event(kube::WatchEvent event) override;
  Task<void> on_bookmark(std::string resource_version) override;
  Task<void> on_dead_letter(kube::DeadLetter letter) override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace waybill::history
