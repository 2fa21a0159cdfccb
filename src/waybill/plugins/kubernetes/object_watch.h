#pragma once

#include <absl/time/time.h>

#include <boost/json/object.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "waybill/kube/api.h"
#include "waybill/kube/shared_watch.h"
#include "waybill/ports/clock.h"
#include "waybill/ports/executor.h"

namespace waybill::plugins {

// What the shared watch knows of the objects that jobs became: one watch for all of a namespace, however many
// run. Each change nudges the job that the object's label names. io thread only.
class ObjectWatch : public kube::WatchSink {
 public:
  using Keep = std::function<boost::json::object(const boost::json::object& object)>;

  ObjectWatch(kube::SharedWatches& watches, const kube::WatchKey& key, kube::Api& api, ports::Clock& clock,
              Keep keep, ports::Nudge nudge);
  ~ObjectWatch() override = default;
  ObjectWatch(const ObjectWatch&) = delete;
  ObjectWatch& operator=(const ObjectWatch&) = delete;

  struct Seen {
    boost::json::object kept;
    std::string version;
    bool deleted = false;  // `kept` is the last that was seen
    bool stale = false;    // a list did not show it: a look by name tells whether it is there
    absl::Time since = absl::InfiniteFuture();  // of `deleted` and `stale`
  };
  // nullptr: nothing is known of it.
  [[nodiscard]] const Seen* find(const std::string& uid) const;
  // Whether what find() says is kept up to date.
  [[nodiscard]] bool is_live() const { return subscription_.metrics().synced; }
  // What a call answered, unless something newer is known.
  void put(const boost::json::object& object);
  // A call found that there is no such object.
  void put_gone(const std::string& uid);
  void forget(const std::string& uid) { objects_.erase(uid); }

  Task<void> on_list_begin() override;
  Task<absl::Status> on_item(kube::Received item) override;
  Task<void> on_list_end(std::string resource_version) override;
  Task<absl::Status> on_event(kube::WatchEvent event) override;
  Task<void> on_bookmark(std::string resource_version) override;
  Task<void> on_dead_letter(kube::DeadLetter letter) override;

 private:
  struct Entry {
    Seen seen;
    JobId job;
  };
  void take(const boost::json::object& object, bool deleted);
  void drop_old();

  ports::Clock& clock_;
  Keep keep_;
  ports::Nudge nudge_;
  std::map<std::string, Entry> objects_;  // by uid
  std::set<std::string> listed_;
  bool list_is_blind_ = false;  // it holds an object that could not be read
  absl::Time dropped_at_;
  kube::SharedWatches::Subscription subscription_;  // last: it ends first
};

}  // namespace waybill::plugins
