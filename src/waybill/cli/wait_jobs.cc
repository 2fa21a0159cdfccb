#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <optional>

#include "waybill/base/status.h"
#include "waybill/base/time.h"
#include "waybill/cli/failure.h"
#include "waybill/cli/fields.h"
#include "waybill/cli/jobs.h"

namespace waybill::cli {
namespace json = boost::json;
namespace {

constexpr absl::Duration kFirstPause = absl::Milliseconds(200);
constexpr absl::Duration kLongestPause = absl::Seconds(2);
constexpr absl::Duration kServerMayBeAway = absl::Minutes(5);
constexpr absl::Duration kQueueLooks = absl::Seconds(5);

// Asks for the states of jobs again and again, less often as time goes by.
class JobWaiter {
 public:
  JobWaiter(Session& session, std::vector<std::string> ids, WaitOptions options)
      : session_(session), ids_(std::move(ids)), options_(options), started_(session.now()) {}

  absl::StatusOr<std::vector<Answer>> wait() {
    absl::Duration pause = kFirstPause;
    while (true) {
      WB_ASSIGN(const bool changed, look());
      const bool enough = options_.until == WaitFor::kAny ? !ended_.empty() : ended_.size() == distinct();
      if (enough) break;
      const absl::Duration left = options_.timeout - (session_.now() - started_);
      if (left <= absl::ZeroDuration()) return timed_out();
      show();
      pause = changed ? kFirstPause : std::min(pause * 1.5, kLongestPause);
      if (!session_.environment().pause(std::min(pause, left))) return interrupted_wait(ids_);
    }
    session_.clear_progress();
    return answers();
  }

 private:
  [[nodiscard]] std::size_t distinct() const {
    std::vector<std::string> sorted = ids_;
    std::sort(sorted.begin(), sorted.end());
    return static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
  }

  // Whether some state changed.
  absl::StatusOr<bool> look() {
    bool changed = false;
    for (const std::string& id : ids_) {
      if (ended_.contains(id)) continue;
      absl::StatusOr<Answer> answer = session_.api().get("/job/" + url_encoded(id) + "/status");
      if (!answer.ok()) {
        WB_TRY(bear(answer.status()));
        continue;
      }
      away_since_.reset();
      const std::string status =
          answer->value.is_object() ? text_of(answer->value.get_object(), "status") : std::string();
      changed = changed || states_[id] != status;
      states_[id] = status;
      if (!is_final_status(status)) continue;
      absl::StatusOr<Answer> job = session_.api().get("/job/" + url_encoded(id));
      if (!job.ok()) {
        WB_TRY(bear(job.status()));
        continue;
      }
      ended_.emplace(id, *std::move(job));
    }
    return changed;
  }

  // A server that is away for a while (a restart) does not end the wait; everything else does.
  absl::Status bear(const absl::Status& problem) {
    if (problem.code() == absl::StatusCode::kCancelled) return interrupted_wait(ids_);
    const std::string word = error_word(problem);
    const bool passing = word == "lost" || word == "timeout" || word == "unavailable" ||
                         (word == "refused" && !states_.empty());
    if (!passing) return problem;
    if (!away_since_) {
      session_.note("the server does not answer; waiting for it to come back");
      away_since_ = session_.now();
    }
    return session_.now() - *away_since_ > kServerMayBeAway ? problem : absl::OkStatus();
  }

  void show() {
    if (!session_.environment().err_is_terminal) return;
    const std::string elapsed = duration_text(session_.now() - started_);
    const auto waiting =
        std::find_if(ids_.begin(), ids_.end(), [&](const std::string& id) { return !ended_.contains(id); });
    if (waiting == ids_.end()) return;
    const std::string place = states_[*waiting] == "NEW" ? place_in_queue(*waiting) : "";
    const std::string of = ids_.size() > 1 ? fmt::format("{}/{} ended  ", ended_.size(), distinct()) : "";
    session_.show_progress(fmt::format("{}{}  {}{}  {}", of, states_[*waiting], elapsed, place, *waiting));
  }

  // How many waiting jobs are older; asked for now and then, since it reads a page.
  std::string place_in_queue(const std::string& id) {
    if (session_.now() < look_at_queue_) return place_;
    look_at_queue_ = session_.now() + kQueueLooks;
    place_.clear();
    const absl::StatusOr<Answer> job = session_.api().get("/job/" + url_encoded(id));
    if (!job.ok() || !job->value.is_object()) return "";
    const std::optional<absl::Time> created = time_of(job->value.get_object(), "created_at");
    if (!created) return "";
    const absl::StatusOr<Answer> older = session_.api().get(
        "/jobs" + query_text({{"status", "NEW"}, {"to", format_time(*created)}, {"direction", "asc"}}));
    if (!older.ok() || !older->value.is_object()) return "";
    const json::array* rows = rows_of(older->value);
    const bool more = bool_of(older->value.get_object(), "has_more");
    if (rows != nullptr)
      place_ = fmt::format("  place {}{} in the queue", rows->size() + 1, more ? " or later" : "");
    return place_;
  }

  [[nodiscard]] absl::Status timed_out() const {
    std::string states;
    for (const std::string& id : ids_) {
      const auto state = states_.find(id);
      if (ended_.contains(id)) continue;
      states += fmt::format("{}{} is {}", states.empty() ? "" : ", ", id,
                            state == states_.end() ? "unknown" : state->second);
    }
    return with_hint(error(absl::StatusCode::kDeadlineExceeded, "timeout",
                           fmt::format("not ended within {}: {}", duration_text(options_.timeout), states)),
                     "the job goes on: wait again, or cancel it with `waybill cancel`");
  }

  std::vector<Answer> answers() {
    std::vector<Answer> found;
    for (const std::string& id : ids_) {
      const auto ended = ended_.find(id);
      if (ended == ended_.end()) continue;
      found.push_back(std::move(ended->second));
      ended_.erase(ended);
    }
    return found;
  }

  Session& session_;
  std::vector<std::string> ids_;
  WaitOptions options_;
  absl::Time started_;
  std::map<std::string, std::string> states_;
  std::map<std::string, Answer> ended_;
  std::optional<absl::Time> away_since_;
  absl::Time look_at_queue_ = absl::InfinitePast();
  std::string place_;
};

}  // namespace

absl::Status interrupted_wait(const std::vector<std::string>& ids) {
  return with_hint(error(absl::StatusCode::kCancelled, "interrupted",
                         ids.size() == 1 ? "interrupted: the job goes on" : "interrupted: the jobs go on"),
                   fmt::format("cancel with `waybill cancel {}`", fmt::join(ids, " ")));
}

absl::StatusOr<std::vector<Answer>> wait_for_jobs(Session& session, std::vector<std::string> ids,
                                                  WaitOptions options) {
  return JobWaiter(session, std::move(ids), options).wait();
}

}  // namespace waybill::cli
