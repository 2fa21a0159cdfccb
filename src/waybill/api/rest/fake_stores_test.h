#pragma once

// The ports as the API's tests see them: in memory, answering what a test put there.

#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/fake_audit_log.h"
#include "waybill/api/rest/rest_server.h"
#include "waybill/base/status.h"

namespace waybill::rest {

class FakeJobStore : public ports::JobStore {
 public:
  std::map<std::string, domain::Job> jobs;
  std::vector<ports::JobFilter> filters;  // of every list()
  std::vector<ports::PageRequest> pages;
  std::function<absl::StatusOr<ports::JobPage>(const ports::PageRequest&)> on_list;

  Task<absl::StatusOr<domain::Job>> get(JobId id) override {
    const auto found = jobs.find(id.str());
    if (found == jobs.end()) co_return not_found("no such row");
    co_return found->second;
  }
  Task<absl::StatusOr<ports::JobPage>> list(ports::JobFilter filter, ports::PageRequest page) override {
    filters.push_back(std::move(filter));
    pages.push_back(page);
    if (on_list) co_return on_list(page);
    ports::JobPage answer;
    for (const auto& [id, job] : jobs) answer.jobs.push_back(job);
    co_return answer;
  }
  Task<absl::StatusOr<std::vector<ports::JobTransition>>> transitions(JobId) override {
    co_return std::vector<ports::JobTransition>{
        {absl::FromUnixSeconds(1), std::nullopt, domain::JobStatus::kNew, domain::EndReason::kNone, "alice",
         "i-1", 1},
        {absl::FromUnixMillis(2500), domain::JobStatus::kNew, domain::JobStatus::kCanceled,
         domain::EndReason::kTimeout, "waybill", "i-1", 1}};
  }
  Task<absl::StatusOr<std::vector<domain::Attempt>>> attempts(JobId) override {
    domain::Attempt attempt;
    attempt.error = "exit status 1";
    co_return std::vector<domain::Attempt>{attempt};
  }

  // Not asked for by the API.
  Task<absl::StatusOr<ports::Inserted>> insert(ports::NewJob, std::optional<ports::IdempotencyKey>,
                                               int) override {
    co_return absl::UnimplementedError("insert");
  }
  Task<absl::StatusOr<std::vector<absl::StatusOr<ports::Inserted>>>> insert_all(
      std::vector<ports::NewJob>, bool, std::optional<ports::IdempotencyKey>, int) override {
    co_return absl::UnimplementedError("insert_all");
  }
  Task<absl::StatusOr<std::vector<absl::StatusOr<domain::Job>>>> made_by(ports::IdempotencyKey) override {
    co_return absl::UnimplementedError("made_by");
  }
  Task<absl::StatusOr<std::vector<domain::Job>>> claim(ports::ClaimRequest) override {
    co_return absl::UnimplementedError("claim");
  }
  Task<absl::StatusOr<domain::Job>> write(ports::JobWrite) override {
    co_return absl::UnimplementedError("write");
  }
  Task<absl::StatusOr<std::optional<boost::json::value>>> result_info(JobId) override {
    co_return absl::UnimplementedError("result_info");
  }
  Task<absl::StatusOr<domain::Outputs>> kept_outputs(JobId) override { co_return domain::Outputs(); }
  Task<absl::Status> heartbeat(ports::Instance) override { co_return absl::OkStatus(); }
  Task<absl::StatusOr<std::vector<ports::Instance>>> instances(absl::Duration) override {
    co_return std::vector<ports::Instance>();
  }
  Task<absl::StatusOr<std::vector<domain::Job>>> owned_by(InstanceId) override {
    co_return std::vector<domain::Job>();
  }
  Task<absl::StatusOr<std::vector<domain::Job>>> orphans(InstanceId, std::string, absl::Duration,
                                                         std::size_t) override {
    co_return std::vector<domain::Job>();
  }
  Task<absl::StatusOr<std::vector<domain::Job>>> lost_hosts(std::string, absl::Duration,
                                                            std::size_t) override {
    co_return std::vector<domain::Job>();
  }
  Task<absl::StatusOr<std::optional<absl::Time>>> next_due() override {
    co_return std::optional<absl::Time>();
  }
  Task<absl::StatusOr<std::size_t>> place_in_queue(JobId) override { co_return std::size_t{0}; }
  Task<absl::StatusOr<std::vector<JobId>>> expire(absl::Time, std::size_t) override {
    co_return std::vector<JobId>();
  }
  Task<absl::StatusOr<std::vector<JobId>>> tombstones(std::size_t) override {
    co_return std::vector<JobId>();
  }
  Task<absl::Status> forget(std::vector<JobId>) override { co_return absl::OkStatus(); }
  Task<absl::StatusOr<std::vector<JobId>>> unknown_of(std::vector<JobId>) override {
    co_return std::vector<JobId>();
  }
  Task<absl::Status> expire_idempotency_keys() override { co_return absl::OkStatus(); }
};

// Positions are plain numbers from 1.
class FakeEventStore : public ports::EventStore {
 public:
  std::vector<ports::Event> events;
  int reads = 0;
  int oldest = 0;  // what is older than this is forgotten

  void append(const std::string& subject, boost::json::object body, const std::string& type = "job") {
    events.push_back({std::to_string(events.size() + 1), type, subject, absl::FromUnixSeconds(1'780'000'000),
                      std::move(body)});
  }
  Task<absl::StatusOr<std::string>> last_position() override { co_return std::to_string(events.size()); }
  Task<absl::StatusOr<ports::EventPage>> read(std::string after, std::size_t limit) override {
    ++reads;
    if (after.empty() || after.find_first_not_of("0123456789") != std::string::npos) {
      co_return invalid("this is no position");
    }
    ports::EventPage page;
    std::size_t at = std::stoul(after);
    if (static_cast<int>(at) < oldest) {
      page.reset = true;
      at = events.size();
    }
    while (at < events.size() && page.events.size() < limit) page.events.push_back(events[at++]);
    page.last_position = std::to_string(at);
    co_return page;
  }
  Task<absl::Status> expire(absl::Time, std::size_t) override { co_return absl::OkStatus(); }
};

using testing::FakeAuditLog;

class FakeLogStore : public ports::LogStore {
 public:
  std::map<std::string, std::string> logs;  // "id/attempt/stdout"
  std::uint64_t gap_begin = 0, gap_end = 0;

  static std::string name(const JobId& id, int attempt, ports::LogStream stream) {
    return id.str() + "/" + std::to_string(attempt) +
           (stream == ports::LogStream::kStdout ? "/stdout" : "/stderr");
  }
  Task<absl::StatusOr<ports::LogInfo>> info(JobId id, int attempt, ports::LogStream stream) override {
    const auto found = logs.find(name(id, attempt, stream));
    if (found == logs.end()) co_return not_found("no such log");
    co_return ports::LogInfo{found->second.size(), gap_begin, gap_end};
  }
  Task<absl::StatusOr<ports::LogChunk>> read(JobId id, int attempt, ports::LogStream stream,
                                             std::uint64_t offset, std::size_t limit) override {
    const auto found = logs.find(name(id, attempt, stream));
    if (found == logs.end()) co_return not_found("no such log");
    if (offset >= found->second.size()) co_return ports::LogChunk{{}, offset};
    if (offset >= gap_begin && offset < gap_end) co_return ports::LogChunk{"[gap]\n", gap_end};
    std::size_t size = limit;
    if (offset < gap_begin) size = std::min<std::size_t>(limit, gap_begin - offset);
    std::string bytes = found->second.substr(offset, size);
    const std::uint64_t next = offset + bytes.size();
    co_return ports::LogChunk{std::move(bytes), next};
  }
  Task<absl::StatusOr<std::uint64_t>> tail(JobId id, int attempt, ports::LogStream stream,
                                           std::uint64_t lines) override {
    const std::string& text = logs.at(name(id, attempt, stream));
    std::size_t at = text.size();
    while (at > 0 && lines > 0) {
      at = text.rfind('\n', at - 1) == std::string::npos || at == 1 ? 0 : at - 1;
      while (at > 0 && text[at - 1] != '\n') --at;
      --lines;
    }
    co_return at;
  }
  Task<absl::Status> remove(JobId) override { co_return absl::OkStatus(); }
  Task<absl::StatusOr<std::vector<JobId>>> jobs_with_files(JobId, std::size_t) override {
    co_return std::vector<JobId>();
  }
};

class FakeResultStore : public ports::ResultStore {
 public:
  std::map<std::string, std::string> results;
  int gets = 0;
  Task<absl::StatusOr<boost::json::value>> put(JobId, std::shared_ptr<const domain::ResultTable>) override {
    co_return absl::UnimplementedError("put");
  }
  Task<absl::StatusOr<std::string>> get(JobId id) override {
    ++gets;
    const auto found = results.find(id.str());
    if (found == results.end()) co_return not_found("open /secret/path: no such file");
    co_return found->second;
  }
  Task<absl::Status> remove(JobId) override { co_return absl::OkStatus(); }
};

class FakeStatsStore : public ports::StatsStore {
 public:
  std::vector<ports::JobStatsRequest> requests;
  std::vector<ports::StatsBucket> buckets;
  bool away = false;
  Task<absl::StatusOr<std::vector<ports::StatsBucket>>> job_stats(ports::JobStatsRequest request) override {
    requests.push_back(std::move(request));
    co_return buckets;
  }
  Task<absl::StatusOr<std::map<domain::JobStatus, std::int64_t>>> live_jobs() override {
    if (away) co_return unavailable("the database is away");
    co_return std::map<domain::JobStatus, std::int64_t>{{domain::JobStatus::kNew, 3}};
  }
};

class FakeChangeFeed : public ports::ChangeFeed {
 public:
  std::map<int, Listener> listeners;
  std::unique_ptr<Subscription> subscribe(Listener listener) override {
    const int id = next_++;
    listeners[id] = std::move(listener);
    return std::make_unique<Held>(*this, id);
  }
  void notify() {
    for (const auto& [id, listener] : listeners) listener({ports::ChangeKind::kEventsAppended, ""});
  }

 private:
  class Held : public Subscription {
   public:
    Held(FakeChangeFeed& feed, int id) : feed_(feed), id_(id) {}
    ~Held() override { feed_.listeners.erase(id_); }

   private:
    FakeChangeFeed& feed_;
    int id_;
  };
  int next_ = 1;
};

}  // namespace waybill::rest
