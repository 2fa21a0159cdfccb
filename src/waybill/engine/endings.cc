#include "waybill/engine/endings.h"

#include <algorithm>
#include <boost/json.hpp>
#include <optional>
#include <utility>

#include "waybill/base/json.h"
#include "waybill/base/status.h"
#include "waybill/engine/engine_parts.h"

namespace waybill::engine {
namespace json = boost::json;

struct Endings::Waiter {
  explicit Waiter(const boost::asio::any_io_executor& io) : wake(io) {}
  Wakeup wake;
  std::optional<Ending> ending;
};

namespace {

constexpr absl::Duration kLook = absl::Seconds(1);

std::string text_of(const json::object& object, const char* key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

absl::StatusOr<std::shared_ptr<const domain::ResultTable>> parse_result(std::string_view text) {
  WB_ASSIGN(json::value value, parse_json(text));
  auto table = std::make_shared<domain::ResultTable>();
  json::object* object = value.if_object();
  if (object == nullptr) return absl::InternalError("a stored result is no JSON object");
  if (const json::value* columns = object->if_contains("columns"); columns && columns->is_array()) {
    for (const json::value& column : columns->get_array()) {
      if (!column.is_object()) continue;
      table->columns.push_back({text_of(column.get_object(), "name"), text_of(column.get_object(), "type")});
    }
  }
  if (json::value* rows = object->if_contains("data"); rows && rows->is_array()) {
    table->rows = std::move(rows->get_array());
  }
  const json::value* truncated = object->if_contains("truncated");
  table->truncated = truncated != nullptr && truncated->is_bool() && truncated->get_bool();
  return std::shared_ptr<const domain::ResultTable>(std::move(table));
}

}  // namespace

void Endings::tell(const Ending& ending) {
  const auto [first, last] = waiters_.equal_range(ending.job.id);
  for (auto at = first; at != last; ++at) {
    if (const std::shared_ptr<Waiter> waiter = at->second.lock()) {
      waiter->ending = ending;
      waiter->wake.notify();
    }
  }
}

void Endings::look_at(const JobId& id) {
  const auto [first, last] =
      id.empty() ? std::pair(waiters_.begin(), waiters_.end()) : waiters_.equal_range(id);
  for (auto at = first; at != last; ++at) {
    if (const std::shared_ptr<Waiter> waiter = at->second.lock()) waiter->wake.notify();
  }
}

Task<absl::StatusOr<Ending>> Endings::wait_for(JobId id, bool may_be_final) {
  const std::shared_ptr<EngineParts> keep = parts_.shared_from_this();
  auto waiter = std::make_shared<Waiter>(parts_.io);
  waiters_.emplace(id, waiter);
  // Also those whose callers went away leave here.
  std::erase_if(waiters_, [](const auto& known) { return known.second.expired(); });
  for (bool look = may_be_final;; look = true) {
    if (look && !waiter->ending) {
      auto job = co_await parts_.ports.jobs.get(id);
      if (job.ok() && domain::is_final(job->state.status)) {
        auto result = co_await stored_result(*job);
        if (!result.ok()) co_return result.status();
        co_return Ending{*std::move(job), *std::move(result)};
      }
      if (absl::IsNotFound(job.status())) co_return job.status();
    }
    if (waiter->ending) co_return *std::move(waiter->ending);
    if (parts_.halted || parts_.stopping) co_return unavailable("the server is stopping; the job goes on");
    co_await waiter->wake.wait(parts_.ports.clock, kLook);
  }
}

Task<absl::StatusOr<std::shared_ptr<const domain::ResultTable>>> Endings::stored_result(domain::Job job) {
  if (!job.has_result) co_return std::shared_ptr<const domain::ResultTable>();
  auto text = co_await parts_.ports.results.get(job.id);
  if (absl::IsNotFound(text.status())) co_return std::shared_ptr<const domain::ResultTable>();
  if (!text.ok()) co_return text.status();
  co_return parse_result(*text);
}

}  // namespace waybill::engine
