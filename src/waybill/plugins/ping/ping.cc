#include "waybill/plugins/ping/ping.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/json.hpp>
#include <charconv>
#include <cstdint>
#include <exception>
#include <string_view>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/plugins/ping/ping_config.h"

namespace waybill::plugins {
namespace {

constexpr std::string_view kPrefix = "ping ";
constexpr std::string_view kUntil = " until ";

std::string run_name(const domain::Job& job) { return fmt::format("{}-{}", job.id.str(), job.state.attempt); }

// "ping <job id>-<attempt> until <unix milliseconds>"
domain::ExecutorHandle handle_until(const domain::Job& job, absl::Time end) {
  return fmt::format("{}{}{}{}", kPrefix, run_name(job), kUntil, absl::ToUnixMillis(end));
}

// The end of the run that a handle names; nullopt if it is none of ours.
std::optional<absl::Time> end_of(std::string_view handle) {
  const std::size_t mark = handle.rfind(kUntil);
  if (!handle.starts_with(kPrefix) || mark == std::string_view::npos) return std::nullopt;
  handle.remove_prefix(mark + kUntil.size());
  std::int64_t milliseconds = 0;
  const auto [end, problem] = std::from_chars(handle.data(), handle.data() + handle.size(), milliseconds);
  if (problem != std::errc() || end != handle.data() + handle.size()) return std::nullopt;
  return absl::FromUnixMillis(milliseconds);
}

ports::Observation greeting(const std::string& user) {
  auto table = std::make_shared<domain::ResultTable>();
  table->columns.push_back({.name = "message", .type = "string"});
  boost::json::array row;
  row.emplace_back(fmt::format("Hello, {}!", user));
  table->rows.emplace_back(std::move(row));
  ports::Observation seen;
  seen.phase = ports::RunPhase::kSucceeded;
  seen.result = std::move(table);
  return seen;
}

Task<void> nudge_later(ports::Clock* clock, absl::Duration wait, ports::Nudge nudge, JobId id) {
  co_await clock->sleep(wait);
  nudge(id);
}

}  // namespace

Ping::Ping(boost::asio::any_io_executor io, ports::Clock& clock, ports::Nudge nudge)
    : traits_(ping_traits()), io_(std::move(io)), clock_(clock), nudge_(std::move(nudge)) {}

absl::Status Ping::validate(const ports::JobRequest& request) const {
  return ping_sleep(request.context).status();
}

Task<absl::StatusOr<ports::StartResult>> Ping::start(std::shared_ptr<const ports::JobRequest> request) {
  WB_CO_ASSIGN(const absl::Duration sleep, ping_sleep(request->context));
  const domain::Job& job = request->job;
  const absl::Time end = clock_.now() + sleep;
  const auto [run, is_new] = started_.try_emplace(run_name(job), handle_until(job, end));
  ports::StartResult result;
  result.handle = run->second;
  if (sleep == absl::ZeroDuration()) {
    started_.erase(run);
    result.outcome = greeting(job.spec.user);
  } else if (is_new) {
    nudge_at(job.id, result.handle, end);
  }
  co_return result;
}

Task<absl::StatusOr<ports::Observation>> Ping::observe(std::shared_ptr<const ports::JobRequest> request,
                                                       domain::ExecutorHandle handle) {
  ports::Observation seen;
  const std::optional<absl::Time> end = end_of(handle);
  if (!end) {
    seen.phase = ports::RunPhase::kUnknown;
  } else if (canceled_.contains(handle)) {
    seen.phase = ports::RunPhase::kFailed;
    seen.error = "the ping was canceled";
  } else if (clock_.now() < *end) {
    seen.phase = ports::RunPhase::kRunning;
    nudge_at(request->job.id, handle, *end);
  } else {
    seen = greeting(request->job.spec.user);
  }
  co_return seen;
}

Task<absl::Status> Ping::cancel(std::shared_ptr<const ports::JobRequest> request,
                                domain::ExecutorHandle handle) {
  const std::optional<absl::Time> end = end_of(handle);
  if (end && clock_.now() < *end) {
    canceled_.insert(handle);
    nudge_(request->job.id);
  }
  co_return absl::OkStatus();
}

Task<absl::Status> Ping::cleanup(std::shared_ptr<const ports::JobRequest> request,
                                 domain::ExecutorHandle handle) {
  started_.erase(run_name(request->job));
  waited_for_.erase(handle);
  canceled_.erase(handle);
  co_return absl::OkStatus();
}

Task<absl::Status> Ping::check(std::shared_ptr<const domain::Cluster> /*cluster*/) {
  co_return absl::OkStatus();
}

void Ping::nudge_at(const JobId& id, const domain::ExecutorHandle& handle, absl::Time end) {
  if (!waited_for_.insert(handle).second) return;
  boost::asio::co_spawn(io_, nudge_later(&clock_, end - clock_.now(), nudge_, id), [](std::exception_ptr) {
    // Only a stopping io context ends the sleep early; the poll finds the end then.
  });
}

}  // namespace waybill::plugins
