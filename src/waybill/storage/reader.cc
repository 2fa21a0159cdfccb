#include "waybill/storage/reader.h"

namespace waybill::storage {

Reader::Reader(const SessionFactory& connect, std::size_t connections) : pool_(connections) {
  for (std::size_t i = 0; i < connections; ++i) idle_.push_back(connect());
}

std::unique_ptr<Session> Reader::take() {
  const std::scoped_lock lock(mutex_);
  std::unique_ptr<Session> session = std::move(idle_.back());  // the last used: its caches are warm
  idle_.pop_back();
  return session;
}

void Reader::give_back(std::unique_ptr<Session> session) {
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(session));
}

}  // namespace waybill::storage
