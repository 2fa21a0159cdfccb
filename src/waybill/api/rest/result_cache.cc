#include "waybill/api/rest/result_cache.h"

namespace waybill::rest {
namespace {

std::size_t cost(const std::string& text) { return text.size() + 200; }  // with the id and the lists

}  // namespace

std::shared_ptr<const std::string> ResultCache::find(const JobId& id) {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return nullptr;
  items_.splice(items_.begin(), items_, found->second);
  return found->second->second;
}

std::shared_ptr<const std::string> ResultCache::keep(const JobId& id, std::string text) {
  if (text.size() > kMostBytes) text.clear();
  if (auto known = find(id)) return known;
  bytes_ += cost(text);
  items_.emplace_front(id, std::make_shared<const std::string>(std::move(text)));
  by_id_[id] = items_.begin();
  while (bytes_ > kAllBytes) {
    bytes_ -= cost(*items_.back().second);
    by_id_.erase(items_.back().first);
    items_.pop_back();
  }
  return items_.front().second;
}

}  // namespace waybill::rest
