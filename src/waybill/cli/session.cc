#include "waybill/cli/session.h"

#include <absl/strings/numbers.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "waybill/base/raw_json.h"
#include "waybill/base/status.h"
#include "waybill/base/time.h"
#include "waybill/cli/cli.h"
#include "waybill/cli/failure.h"
#include "waybill/cli/text.h"

namespace waybill::cli {
namespace {

constexpr std::array<std::pair<std::string_view, OutputForm>, 6> kForms = {{{"table", OutputForm::kTable},
                                                                            {"wide", OutputForm::kWide},
                                                                            {"json", OutputForm::kJson},
                                                                            {"jsonl", OutputForm::kJsonl},
                                                                            {"yaml", OutputForm::kYaml},
                                                                            {"name", OutputForm::kName}}};

OutputForm form_of(const std::string& word) {
  const auto found =
      std::find_if(kForms.begin(), kForms.end(), [&](const auto& form) { return form.first == word; });
  return found == kForms.end() ? OutputForm::kTable : found->second;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Session>> Session::start(const Invocation& invocation,
                                                        Environment& environment) {
  WB_ASSIGN(Settings settings, load_settings(invocation, environment));
  return std::unique_ptr<Session>(new Session(std::move(settings), invocation, environment));
}

Session::Session(Settings settings, const Invocation& invocation, Environment& environment)
    : environment_(environment),
      interrupts_(environment.catch_interrupts ? std::make_unique<InterruptWatch>(environment) : nullptr),
      api_(std::move(settings), environment),
      form_(form_of(invocation.text("output", "table"))),
      headers_(!invocation.has("no-headers")) {
  if (invocation.has("absolute")) times_ = TimeForm::kLocal;
  if (invocation.has("utc")) times_ = TimeForm::kUtc;
}

Session::~Session() { clear_progress(); }

absl::Status Session::print(std::string_view text) {
  clear_progress();
  environment_.out << text << std::flush;
  return environment_.out.good() ? absl::OkStatus() : output_closed();
}

absl::Status Session::print_json(std::string_view json) {
  std::string text(json);
  if (form_ == OutputForm::kJsonl) text = on_one_line(json);
  if (form_ == OutputForm::kYaml) return print(json_for_terminal(yaml_text(json)));
  if (environment_.out_is_terminal) text = json_for_terminal(text);
  if (!text.ends_with('\n')) text += '\n';
  return print(text);
}

void Session::note(std::string_view text) {
  clear_progress();
  environment_.err << made_visible(text) << '\n' << std::flush;
}

TableStyle Session::table_style() const {
  int columns = environment_.out_is_terminal ? environment_.columns : 0;
  int wanted = 0;
  const std::optional<std::string> variable = environment_.variable("COLUMNS");
  if (variable && absl::SimpleAtoi(*variable, &wanted) && wanted > 0) columns = wanted;
  const bool colour = environment_.out_is_terminal && !environment_.variable("NO_COLOR");
  return {.columns = columns, .headers = headers_, .colour = colour};
}

std::string Session::shown_time(std::optional<absl::Time> time) const {
  return time_text(time, times_, now());
}

std::string Session::coloured(const std::string& status) const {
  const std::string shown = made_visible(status);
  return table_style().colour ? coloured_status(shown) : shown;
}

void Session::show_progress(const std::string& line) {
  if (!environment_.err_is_terminal) return;
  environment_.err << "\r\x1b[K" << cut_to(made_visible(line), environment_.columns - 1) << std::flush;
  progress_shown_ = true;
}

void Session::clear_progress() {
  if (!progress_shown_) return;
  environment_.err << "\r\x1b[K" << std::flush;
  progress_shown_ = false;
}

Command client_command(Command declared, ClientAction action) {
  declared.is_client = true;
  declared.run = [action = std::move(action)](const Invocation& invocation, Environment& environment) {
    absl::StatusOr<std::unique_ptr<Session>> session = Session::start(invocation, environment);
    if (!session.ok()) return report(environment, session.status());
    const absl::StatusOr<int> code = action(**session, invocation);
    (*session)->clear_progress();
    return code.ok() ? *code : report(environment, code.status());
  };
  return declared;
}

int report(Environment& environment, const absl::Status& status) {
  if (!is_output_closed(status)) print_error(environment, message(status), hint_of(status));
  return exit_code_of(status);
}

absl::Time time_flag(const std::string& value, absl::Time now) {
  const bool has_unit = !value.empty() && value.back() >= 'a' && value.back() <= 'z';
  if (has_unit) {
    const absl::StatusOr<absl::Duration> ago = parse_duration(value);
    if (ago.ok()) return now - *ago;
  }
  const absl::StatusOr<absl::Time> time = parse_time(value);  // checked when the line was read
  return time.ok() ? *time : now;
}

std::string api_time(const std::string& value, absl::Time now) { return format_time(time_flag(value, now)); }

}  // namespace waybill::cli
