#include "waybill/engine/job_writer.h"

#include <algorithm>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/engine/engine_parts.h"

namespace waybill::engine {
namespace {

constexpr absl::Duration kFirstWait = absl::Milliseconds(100);
constexpr absl::Duration kLongestWait = absl::Seconds(5);

ports::JobWrite write_of(const LiveJob& live, const domain::JobState& next, const Extras& extras,
                         ports::TransitionNote note) {
  ports::JobWrite write;
  write.id = live.job.id;
  write.expected_status = live.job.state.status;
  write.expected_epoch = live.job.state.epoch;
  write.state = next;
  write.attributes = extras.attributes;
  write.attribute_errors = extras.attribute_errors;
  write.kept_outputs = extras.kept_outputs;
  write.result_info = extras.result_info;
  write.note = std::move(note);
  return write;
}

}  // namespace

Task<Written> JobWriter::commit(LiveJobPtr live, domain::JobState next, Extras extras) {
  absl::Duration wait = kFirstWait;
  for (;;) {
    // Another task of this job learnt that the lease is lost: `live->job` may carry somebody else's by now.
    if (live->gone) co_return Written::kLost;
    const int changes = live->changes;
    ports::JobWrite write = write_of(*live, next, extras, parts_.note());
    parts_.write_began();
    auto answer = co_await parts_.ports.jobs.write(std::move(write));
    parts_.write_ended();
    if (parts_.halted) co_return Written::kStopped;
    if (answer.ok()) {
      if (live->changes == changes || domain::is_final(answer->state.status)) {
        live->job = *std::move(answer);
      } else {
        live->stale = true;  // others wrote as well; the answers may have come in another order
        live->again = true;
      }
      co_return Written::kWritten;
    }
    if (absl::IsNotFound(answer.status())) co_return Written::kLost;
    if (absl::IsAborted(answer.status())) co_return co_await read_again(live);
    const bool go_on = co_await wait_for_store(wait, answer.status(), live->job.id);
    if (!go_on) co_return Written::kStopped;
    if (live->changes != changes) co_return Written::kChanged;
  }
}

Task<Written> JobWriter::read_again(LiveJobPtr live) {
  absl::Duration wait = kFirstWait;
  for (;;) {
    auto job = co_await parts_.ports.jobs.get(live->job.id);
    if (parts_.halted) co_return Written::kStopped;
    if (absl::IsNotFound(job.status())) {
      live->gone = true;
      co_return Written::kLost;
    }
    if (!job.ok()) {
      const bool go_on = co_await wait_for_store(wait, job.status(), live->job.id);
      if (!go_on) co_return Written::kStopped;
      continue;
    }
    const bool ours = job->state.epoch == live->job.state.epoch &&
                      (job->state.owner == parts_.options.instance || domain::is_final(job->state.status));
    const int attempt = live->job.state.attempt;
    const bool same_attempt = job->state.attempt == attempt;
    live->job = *std::move(job);
    live->gone = !ours || !same_attempt;
    co_return live->gone ? Written::kLost : Written::kChanged;
  }
}

Task<bool> JobWriter::wait_for_store(absl::Duration& wait,  // NOLINT(*-reference-*): of the awaiting caller
                                     absl::Status why, JobId id) {
  parts_.ports.log.warn("a job can't be written now; it is tried again",
                        {{"job", id.str()}, {"error", message(why)}});
  if (parts_.stopping) co_return false;
  co_await parts_.ports.clock.sleep(wait);
  wait = std::min(wait * 2, kLongestWait);
  co_return !parts_.halted;
}

}  // namespace waybill::engine
