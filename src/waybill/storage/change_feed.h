#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "waybill/ports/change_feed.h"

namespace waybill::storage {

// Brings notices to this process's listeners, on the io thread. Those that come while one delivery waits are
// merged. Thread-safe; subscribe() and ending a subscription only on the io thread.
class LocalFeed : public ports::ChangeFeed {
 public:
  explicit LocalFeed(boost::asio::any_io_executor io);
  ~LocalFeed() override;

  [[nodiscard]] std::unique_ptr<Subscription> subscribe(Listener listener) override;
  void publish(const std::vector<ports::ChangeNotice>& notices);  // any thread

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Notices without doubles; more than `most_ids` of one kind become one notice without an id.
class NoticeSet {
 public:
  explicit NoticeSet(std::size_t most_ids) : most_ids_(most_ids) {}

  void add(const ports::ChangeNotice& notice);
  [[nodiscard]] bool empty() const { return ids_.empty(); }
  [[nodiscard]] std::vector<ports::ChangeNotice> take();

 private:
  std::size_t most_ids_;
  std::map<ports::ChangeKind, std::vector<std::string>> ids_;
};

// One of each kind, without ids: look at everything.
[[nodiscard]] std::vector<ports::ChangeNotice> everything();

}  // namespace waybill::storage
