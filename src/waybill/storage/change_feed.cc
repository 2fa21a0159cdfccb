#include "waybill/storage/change_feed.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

namespace waybill::storage {
namespace {

using ports::ChangeKind;
using ports::ChangeNotice;

constexpr std::size_t kMostIds = 64;

}  // namespace

void NoticeSet::add(const ChangeNotice& notice) {
  const auto [place, is_new] = ids_.try_emplace(notice.kind);
  std::vector<std::string>& ids = place->second;
  const bool all = !is_new && ids.size() == 1 && ids.front().empty();
  if (all) return;
  if (notice.id.empty() || ids.size() >= most_ids_) {
    ids.assign(1, std::string());
  } else if (std::find(ids.begin(), ids.end(), notice.id) == ids.end()) {
    ids.push_back(notice.id);
  }
}

std::vector<ChangeNotice> NoticeSet::take() {
  std::vector<ChangeNotice> out;
  for (auto& [kind, ids] : std::exchange(ids_, {})) {
    for (std::string& id : ids) out.push_back({kind, std::move(id)});
  }
  return out;
}

std::vector<ChangeNotice> everything() {
  return {{ChangeKind::kJobsWaiting, {}},
          {ChangeKind::kCancelRequested, {}},
          {ChangeKind::kCatalogChanged, {}},
          {ChangeKind::kEventsAppended, {}}};
}

struct LocalFeed::State : std::enable_shared_from_this<LocalFeed::State> {
  explicit State(boost::asio::any_io_executor executor) : io(std::move(executor)) {}

  void deliver() {
    std::vector<ChangeNotice> notices;
    {
      const std::scoped_lock lock(mutex);
      posted = false;
      notices = waiting.take();
    }
    for (const ChangeNotice& notice : notices) {
      const auto all = listeners;  // one may end its subscription while it is called
      for (const auto& [number, listener] : all) {
        if (listeners.contains(number)) (*listener)(notice);
      }
    }
  }

  boost::asio::any_io_executor io;
  std::mutex mutex;
  NoticeSet waiting{kMostIds};  // under mutex
  bool posted = false;          // under mutex
  // On the io thread only.
  std::map<std::uint64_t, std::shared_ptr<Listener>> listeners;
  std::uint64_t next = 0;
};

namespace {

class Ticket : public ports::ChangeFeed::Subscription {
 public:
  explicit Ticket(std::function<void()> end) : end_(std::move(end)) {}
  ~Ticket() override { end_(); }
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;

 private:
  std::function<void()> end_;
};

}  // namespace

LocalFeed::LocalFeed(boost::asio::any_io_executor io) : state_(std::make_shared<State>(std::move(io))) {}
LocalFeed::~LocalFeed() = default;

std::unique_ptr<ports::ChangeFeed::Subscription> LocalFeed::subscribe(Listener listener) {
  const std::uint64_t number = state_->next++;
  state_->listeners[number] = std::make_shared<Listener>(std::move(listener));
  return std::make_unique<Ticket>([state = state_, number] { state->listeners.erase(number); });
}

void LocalFeed::publish(const std::vector<ChangeNotice>& notices) {
  {
    const std::scoped_lock lock(state_->mutex);
    for (const ChangeNotice& notice : notices) state_->waiting.add(notice);
    if (state_->posted || state_->waiting.empty()) return;
    state_->posted = true;
  }
  boost::asio::post(state_->io, [state = state_] { state->deliver(); });
}

}  // namespace waybill::storage
