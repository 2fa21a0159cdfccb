#include "waybill/engine/cancel.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "waybill/base/status.h"
#include "waybill/domain/job_state.h"
#include "waybill/engine/calls.h"
#include "waybill/engine/engine_parts.h"
#include "waybill/engine/render_job.h"
#include "waybill/engine/runner.h"

namespace waybill::engine {
namespace {

using PartsPtr = std::shared_ptr<EngineParts>;
using Answer = absl::StatusOr<domain::Job>;
using domain::JobStatus;

constexpr int kTries = 20;  // lost races: each means that the job went on
constexpr std::size_t kMostJobs = 10'000;
constexpr std::size_t kPage = 1000;

// Holds a job that waits here for its start back while its cancel is being written.
class StartStopper {
 public:
  StartStopper(PartsPtr parts, const domain::Job& job) : parts_(std::move(parts)) {
    if (job.state.owner == parts_->options.instance) live_ = parts_->runner->find(job.id);
    if (live_ && (live_->start_called || live_->cancel_pending || live_->adopted)) live_ = nullptr;
    if (live_) live_->cancel_pending = true;
  }
  StartStopper(const StartStopper&) = delete;
  StartStopper& operator=(const StartStopper&) = delete;
  ~StartStopper() {
    if (!live_) return;
    live_->cancel_pending = false;
    parts_->runner->poke(live_->job.id);
  }
  // Whether it is sure that no start was called.
  [[nodiscard]] bool holds() const { return live_ != nullptr; }

 private:
  PartsPtr parts_;
  LiveJobPtr live_;
};

// A LIKE pattern that only `text` matches.
std::string as_pattern(const std::string& text) {
  std::string pattern;
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern;
}

Task<Answer> try_cancel(PartsPtr parts, domain::Job job, domain::Caller caller) {
  const StartStopper stopper(parts, job);
  const domain::CancelRequested request{caller.name, !stopper.holds()};
  ports::JobWrite write;
  write.id = job.id;
  write.expected_status = job.state.status;
  write.expected_epoch = job.state.epoch;
  write.note = parts->note(caller.name);
  WB_CO_ASSIGN(write.state, domain::apply(job.state, request, parts->now()));
  if (write.state.status == job.state.status) co_return job;  // CANCELING already
  job.state = write.state;
  auto rendered = co_await render_unfollowed(parts, std::move(job));
  if (rendered) {
    write.attributes = std::move(rendered->attributes);
    write.attribute_errors = std::move(rendered->errors);
  }
  auto written = co_await parts->ports.jobs.write(std::move(write));
  if (written.ok() && !parts->halted) parts->runner->changed(*written);
  co_return written;
}

Task<Answer> cancel_one(PartsPtr parts, JobId id, domain::Caller caller) {
  for (int tried = 0; tried < kTries; ++tried) {
    auto job = co_await parts->ports.jobs.get(id);
    if (!job.ok()) co_return job.status();
    if (!caller.is_admin && job->spec.user != caller.name) {
      co_return denied("caller is neither the owner of this job nor an admin");
    }
    auto canceled = co_await try_cancel(parts, *std::move(job), caller);
    if (!absl::IsAborted(canceled.status())) co_return canceled;
  }
  co_return unavailable("the job changes too fast to be canceled now: try again");
}

}  // namespace

Canceler::Canceler(std::shared_ptr<EngineParts> parts) : parts_(std::move(parts)) {}

Task<absl::StatusOr<domain::Job>> Canceler::cancel(JobId id, domain::Caller caller) {
  const PartsPtr parts = parts_;
  co_return co_await cancel_one(parts, id, caller);
}

Task<std::vector<std::pair<JobId, absl::StatusOr<domain::Job>>>> Canceler::cancel_all(std::vector<JobId> ids,
                                                                                      domain::Caller caller) {
  const PartsPtr parts = parts_;
  std::vector<std::pair<JobId, Answer>> answers;
  for (std::size_t from = 0; from < ids.size(); from += kPage) {
    const std::size_t to = std::min(ids.size(), from + kPage);
    std::vector<Task<Answer>> cancels;
    for (std::size_t i = from; i < to; ++i) cancels.push_back(cancel_one(parts, ids[i], caller));
    auto canceled = co_await gather(parts->io, std::move(cancels));
    for (std::size_t i = from; i < to; ++i) answers.emplace_back(ids[i], std::move(canceled[i - from]));
  }
  co_return answers;
}

Task<absl::StatusOr<std::vector<std::pair<JobId, absl::StatusOr<domain::Job>>>>> Canceler::cancel_matching(
    ports::JobFilter filter, domain::Caller caller) {
  const PartsPtr parts = parts_;
  const std::vector<JobStatus> live = {JobStatus::kNew, JobStatus::kAccepted, JobStatus::kRunning,
                                       JobStatus::kCanceling};
  std::vector<JobStatus> wanted;
  for (const JobStatus status : live) {
    const bool asked = filter.statuses.empty() || std::find(filter.statuses.begin(), filter.statuses.end(),
                                                            status) != filter.statuses.end();
    if (asked) wanted.push_back(status);
  }
  std::vector<std::pair<JobId, Answer>> nothing;
  if (wanted.empty()) co_return nothing;
  filter.statuses = std::move(wanted);
  if (!caller.is_admin && !filter.username) filter.username = as_pattern(caller.name);
  std::vector<JobId> ids;
  ports::PageRequest page;
  page.limit = kPage;
  do {
    auto found = co_await parts->ports.jobs.list(filter, page);
    if (!found.ok()) co_return found.status();
    for (const domain::Job& job : found->jobs) ids.push_back(job.id);
    page.cursor = std::move(found->next_cursor);
  } while (!page.cursor.empty() && ids.size() < kMostJobs);
  ids.resize(std::min(ids.size(), kMostJobs));
  Canceler self(parts);
  co_return co_await self.cancel_all(std::move(ids), caller);
}

}  // namespace waybill::engine
