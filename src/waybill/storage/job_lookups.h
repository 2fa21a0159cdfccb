#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "waybill/domain/job.h"
#include "waybill/storage/reader.h"

namespace waybill::storage {

// Reads of one job each. What is asked for while such a read is on its way waits and then goes out together,
// in one exchange with the database: under load a read costs no round trip and no wake-up of its own, and
// nobody waits for company when there is none. Made as a shared_ptr, as its work on the reader's threads may
// outlive its owner. Calls may come from any thread.
class JobLookups : public std::enable_shared_from_this<JobLookups> {
 public:
  explicit JobLookups(Reader& reader) : reader_(reader) {}

  // NOT_FOUND: there is no such job.
  Task<absl::StatusOr<domain::Job>> get(JobId id);

 private:
  using Finish = std::function<void(absl::StatusOr<domain::Job>)>;
  struct Lookup {
    JobId id;
    Finish finish;
  };

  void add(Lookup lookup);
  void read_next();
  std::vector<Lookup> next_group();
  static void read(Session& session, std::vector<Lookup> group);

  Reader& reader_;
  std::mutex mutex_;
  std::deque<Lookup> waiting_;  // under mutex_
  std::size_t reading_ = 0;     // groups on their way; under mutex_
};

}  // namespace waybill::storage
