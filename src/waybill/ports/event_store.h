#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <boost/json/object.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "waybill/base/task.h"

namespace waybill::ports {

// A row of the one events table, in its one order.
struct Event {
  std::string
      position;      // opaque, Last-Event-ID; later ones compare greater as decimal numbers (xid, then row)
  std::string type;  // "job" or "record"
  std::string subject;  // id of the job or record
  absl::Time at;
  boost::json::object
      body;  // {"id","from","to","reason","user","command","cluster","attempt","actor","instance",…}
};

struct EventPage {
  std::vector<Event> events;
  std::string last_position;  // where to read on; the request's own when there is nothing new
  bool reset = false;         // `after` is older than what is kept: the reader must read its list anew
};

class EventStore {
 public:
  virtual ~EventStore() = default;
  virtual Task<absl::StatusOr<std::string>> last_position() = 0;
  virtual Task<absl::StatusOr<EventPage>> read(std::string after,
                                               std::size_t limit) = 0;  // InvalidArgument: no position
  virtual Task<absl::Status> expire(absl::Time before, std::size_t limit) = 0;
};

}  // namespace waybill::ports
