#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

#include "waybill/cli/session.h"

namespace waybill::cli {

// A job as lines of "label: value", with the attributes that its state wants shown.
[[nodiscard]] std::string job_text(const boost::json::object& job, const Session& session, bool wide);

// The attributes of an object that `show` wants for its status, in the order of the config.
struct ShownAttribute {
  std::string label;
  std::string value;
  bool is_link = false;
};
[[nodiscard]] std::vector<ShownAttribute> shown_attributes(const boost::json::object& object);

// A job's answer (GET or POST) in the form that was asked for.
[[nodiscard]] absl::Status print_job(Session& session, const Answer& answer);

// A result object {columns, data} as a table.
[[nodiscard]] std::string result_text(const boost::json::object& result, const Session& session);

enum class WaitFor { kAny, kAll };
struct WaitOptions {
  WaitFor until = WaitFor::kAll;
  absl::Duration timeout = absl::InfiniteDuration();
};

// Follows jobs until one or all of them ended, with a progress line on a terminal, through restarts of the
// server. Answers those that ended, in the order of `ids`. DeadlineExceeded after the timeout; Cancelled with
// how to cancel the jobs in its hint.
[[nodiscard]] absl::StatusOr<std::vector<Answer>> wait_for_jobs(Session& session,
                                                                std::vector<std::string> ids,
                                                                WaitOptions options);

// 0 if all of them succeeded, else kJobFailed.
[[nodiscard]] int exit_code_of_jobs(const std::vector<Answer>& jobs);

// The error of an interrupted wait: the jobs go on.
[[nodiscard]] absl::Status interrupted_wait(const std::vector<std::string>& ids);

// A copy of one log on standard output.
struct LogOptions {
  std::string stream = "stdout";  // or "stderr"
  std::string attempt = "";       // "" : the latest
  bool follow = false;
  std::int64_t tail = -1;                        // lines; below 0: all
  absl::Time since = absl::InfinitePast();       // of the times that lines begin with
  absl::Duration patience = absl::Seconds(120);  // how long a server may be away while following
};
[[nodiscard]] absl::Status copy_log(Session& session, const std::string& id, LogOptions options);

}  // namespace waybill::cli
