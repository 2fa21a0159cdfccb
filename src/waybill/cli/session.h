#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "waybill/cli/api.h"
#include "waybill/cli/command.h"
#include "waybill/cli/environment.h"
#include "waybill/cli/table.h"
#include "waybill/cli/times.h"

namespace waybill::cli {

enum class OutputForm { kTable, kWide, kJson, kJsonl, kYaml, kName };

// One run of a client command: the API, and the ways to print. Data goes to standard output by print() alone.
class Session {
 public:
  static absl::StatusOr<std::unique_ptr<Session>> start(const Invocation& invocation,
                                                        Environment& environment);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const Api& api() const { return api_; }
  [[nodiscard]] Environment& environment() { return environment_; }
  [[nodiscard]] OutputForm form() const { return form_; }
  [[nodiscard]] bool is_table() const { return form_ == OutputForm::kTable || form_ == OutputForm::kWide; }

  // Writes and flushes. An error (output_closed) means that nobody reads any more: stop quietly.
  absl::Status print(std::string_view text);
  // The JSON that the server sent in the form that was asked for (json, jsonl or yaml).
  absl::Status print_json(std::string_view json);
  // "note: …" and the like, to standard error.
  void note(std::string_view text);

  [[nodiscard]] TableStyle table_style() const;
  [[nodiscard]] std::string shown_time(std::optional<absl::Time> time) const;
  [[nodiscard]] absl::Time now() const { return environment_.now(); }
  [[nodiscard]] std::string coloured(const std::string& status) const;

  // One line on standard error that is written over; only on a terminal.
  void show_progress(const std::string& line);
  void clear_progress();

 private:
  Session(Settings settings, const Invocation& invocation, Environment& environment);

  Environment& environment_;
  std::unique_ptr<InterruptWatch> interrupts_;
  Api api_;
  OutputForm form_ = OutputForm::kTable;
  TimeForm times_ = TimeForm::kAge;
  bool headers_ = true;
  bool progress_shown_ = false;
};

// What a client command does; the number is the exit code.
using ClientAction = std::function<absl::StatusOr<int>(Session&, const Invocation&)>;

// Completes the declaration of a client command: its errors are printed and become exit codes.
[[nodiscard]] Command client_command(Command declared, ClientAction action);

// Prints an error and its hint, and says the exit code for it.
int report(Environment& environment, const absl::Status& status);

// A time flag's value as the API takes it: RFC 3339; a duration is that long ago.
[[nodiscard]] std::string api_time(const std::string& value, absl::Time now);
[[nodiscard]] absl::Time time_flag(const std::string& value, absl::Time now);

}  // namespace waybill::cli
