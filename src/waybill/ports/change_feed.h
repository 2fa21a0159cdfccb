#pragma once

#include <functional>
#include <memory>
#include <string>

namespace waybill::ports {

enum class ChangeKind {
  kJobsWaiting,      // a job is NEW and due
  kCancelRequested,  // id: the job
  kCatalogChanged,   // an override was put or dropped
  kEventsAppended,  // there are events after the last position read; id: the job or record, if it is a single
                    // one
};

struct ChangeNotice {
  ChangeKind kind = ChangeKind::kEventsAppended;
  std::string id;
};

// Tells what was committed, here or by another instance, as a hint to look at the database: notices may be
// merged, doubled or (over a lost connection) missed, so that every listener also looks on its own from time
// to time.
class ChangeFeed {
 public:
  using Listener = std::function<void(const ChangeNotice&)>;
  // Destroying it ends the subscription; no call comes after that.
  class Subscription {
   public:
    virtual ~Subscription() = default;
  };

  virtual ~ChangeFeed() = default;
  // Listeners are called on the io thread, one after the other.
  [[nodiscard]] virtual std::unique_ptr<Subscription> subscribe(Listener listener) = 0;
};

}  // namespace waybill::ports
