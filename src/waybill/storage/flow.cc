#include "waybill/storage/flow.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "waybill/base/status.h"

namespace waybill::storage {

std::vector<std::pair<StatsKey, std::int64_t>> Batch::take_stats() {
  std::vector<std::pair<StatsKey, std::int64_t>> out(stats_.begin(), stats_.end());
  stats_.clear();
  return out;
}

std::vector<Call> Batch::take_last() {
  std::unordered_map<std::string, std::size_t> places;  // of each query: as they came first
  std::vector<std::vector<Call>> alike;
  for (Call& call : last_) {
    const auto [place, is_new] = places.try_emplace(call.query, alike.size());
    if (is_new) alike.emplace_back();
    alike[place->second].push_back(std::move(call));
  }
  last_.clear();
  std::vector<Call> calls;
  for (std::vector<Call>& some : alike) std::move(some.begin(), some.end(), std::back_inserter(calls));
  return calls;
}

absl::Status Batch::drive(Session& session) {
  while (!waiting_.empty()) {
    const std::vector<Exchange*> round = std::exchange(waiting_, {});
    struct Place {
      Exchange* exchange;
      std::size_t index;
      std::size_t came;
    };
    std::vector<Place> places;
    for (Exchange* exchange : round) {
      exchange->answers_.resize(exchange->calls_.size());
      for (std::size_t i = 0; i < exchange->calls_.size(); ++i) places.push_back({exchange, i, 0});
    }
    for (std::size_t i = 0; i < places.size(); ++i) places[i].came = i;
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
      const std::string& first = a.exchange->calls_[a.index].order;
      const std::string& second = b.exchange->calls_[b.index].order;
      return std::tie(first, a.came) < std::tie(second, b.came);
    });
    std::vector<Call> calls;
    calls.reserve(places.size());
    for (const Place& place : places) calls.push_back(std::move(place.exchange->calls_[place.index]));
    WB_ASSIGN(std::vector<Rows> answers, session.run(calls));
    for (std::size_t i = 0; i < places.size(); ++i) {
      places[i].exchange->answers_[places[i].index] = std::move(answers[i]);
    }
    for (Exchange* exchange : round) exchange->waiting_.resume();
  }
  return absl::OkStatus();
}

}  // namespace waybill::storage
