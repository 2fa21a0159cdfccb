#include "waybill/storage/job_lookups.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/storage/answer.h"
#include "waybill/storage/job_rows.h"

namespace waybill::storage {
namespace {

constexpr std::size_t kGroup = 64;
constexpr std::size_t kMostReading = 2;  // groups at a time: the other threads are for lists
constexpr std::size_t kCapacity = 10'000;

Call call_of(const JobId& id) { return {"get_job", {{"id", id.str()}}}; }

absl::StatusOr<domain::Job> job_in(const Rows& rows, const JobId& id) {
  if (rows.empty()) return not_found(fmt::format("there is no job {}", id.str()));
  return job_of(rows.front());
}

// As it only reads, it is done once more on a new connection.
absl::StatusOr<std::vector<Rows>> run(Session& session, const std::vector<Call>& calls) {
  absl::StatusOr<std::vector<Rows>> answers = session.run(calls);
  if (absl::IsUnavailable(answers.status())) answers = session.run(calls);
  return answers;
}

}  // namespace

Task<absl::StatusOr<domain::Job>> JobLookups::get(JobId id) {
  auto begin = [self = shared_from_this(), id = std::move(id)](Finish finish) {
    self->add({id, std::move(finish)});
  };
  absl::StatusOr<domain::Job> job = co_await answer_of<absl::StatusOr<domain::Job>>(std::move(begin));
  co_return job;
}

void JobLookups::add(Lookup lookup) {
  std::unique_lock lock(mutex_);
  if (waiting_.size() >= kCapacity) {
    lock.unlock();
    lookup.finish(error(absl::StatusCode::kResourceExhausted, "too_many_requests",
                        "too many reads wait for the database: try again later"));
    return;
  }
  waiting_.push_back(std::move(lookup));
  if (reading_ >= kMostReading || waiting_.size() <= reading_ * kGroup) return;
  ++reading_;
  lock.unlock();
  read_next();
}

// One group, then back to the end of the pool's queue, so that other reads have their turn.
void JobLookups::read_next() {
  reader_.post([self = shared_from_this()](Session& session) {
    read(session, self->next_group());
    {
      const std::scoped_lock lock(self->mutex_);
      if (self->waiting_.empty()) {
        --self->reading_;
        return;
      }
    }
    self->read_next();
  });
}

std::vector<JobLookups::Lookup> JobLookups::next_group() {
  const std::scoped_lock lock(mutex_);
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(waiting_.size(), kGroup));
  std::vector<Lookup> group(std::move_iterator(waiting_.begin()), std::move_iterator(end));
  waiting_.erase(waiting_.begin(), end);
  return group;
}

void JobLookups::read(Session& session, std::vector<Lookup> group) {
  if (group.empty()) return;
  std::vector<Call> calls;
  calls.reserve(group.size());
  for (const Lookup& lookup : group) calls.push_back(call_of(lookup.id));
  const absl::StatusOr<std::vector<Rows>> answers = run(session, calls);
  for (std::size_t i = 0; i < group.size(); ++i) {
    Lookup& lookup = group[i];
    if (answers.ok()) {
      lookup.finish(job_in((*answers)[i], lookup.id));
    } else if (group.size() == 1 || absl::IsUnavailable(answers.status())) {
      lookup.finish(answers.status());
    } else {  // an id that the database refuses is no business of the others
      const absl::StatusOr<std::vector<Rows>> alone = run(session, {call_of(lookup.id)});
      lookup.finish(alone.ok() ? job_in(alone->front(), lookup.id) : alone.status());
    }
  }
}

}  // namespace waybill::storage
