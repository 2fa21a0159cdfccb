#include "waybill/app/history_commands.h"

#include <absl/status/statusor.h>
#include <fmt/format.h>

#include <boost/json.hpp>
#include <charconv>
#include <fstream>
#include <limits>
#include <ostream>
#include <string>

#include "waybill/base/file.h"
#include "waybill/base/json.h"
#include "waybill/base/status.h"
#include "waybill/base/time.h"
#include "waybill/cli/cli.h"
#include "waybill/history/replay.h"

namespace waybill::app {
namespace {

namespace json = boost::json;

// A whole list as an API server would send it in one page.
struct ListAt {
  json::value list;
  std::size_t line = std::numeric_limits<std::size_t>::max();  // from 1: the event it stands in the place of
};

constexpr std::size_t kLongestFile = 256U << 20U;

absl::StatusOr<json::value> read_json_file(const std::string& path) {
  const absl::StatusOr<std::string> text = read_regular_file(path, kLongestFile);
  if (!text.ok()) return prefixed(text.status(), fmt::format("the file {} can't be read", path));
  auto value = parse_json(*text, {.depth = 128});
  if (!value.ok()) return prefixed(value.status(), path);
  return value;
}

absl::StatusOr<std::vector<absl::Time>> read_times(const std::string& path) {
  WB_ASSIGN(const json::value written, read_json_file(path));
  if (!written.is_array()) return invalid(fmt::format("{}: an array of times is wanted", path));
  std::vector<absl::Time> times;
  for (const json::value& one : written.get_array()) {
    if (!one.is_string()) return invalid(fmt::format("{}: item {} is no text", path, times.size() + 1));
    WB_ASSIGN(const absl::Time time, parse_time(std::string(one.get_string())));
    times.push_back(time);
  }
  return times;
}

absl::StatusOr<ListAt> read_list(const std::string& place) {
  const std::size_t at = place.rfind('@');
  ListAt found;
  const char* end = place.data() + place.size();
  if (at == std::string::npos || std::from_chars(place.data() + at + 1, end, found.line).ptr != end ||
      found.line < 1) {
    return invalid(fmt::format("--list {}: use FILE@LINE, the line counted from 1", place));
  }
  WB_ASSIGN(found.list, read_json_file(place.substr(0, at)));
  return found;
}

absl::StatusOr<json::object> replayed(const cli::Invocation& typed) {
  WB_ASSIGN(history::LabelSelector selector,
            history::LabelSelector::parse(typed.text("selector", history::kReplaySelector)));
  WB_ASSIGN(const std::vector<absl::Time> times, read_times(typed.text("received-at")));
  ListAt list;
  if (typed.has("list")) {
    WB_ASSIGN(list, read_list(typed.text("list")));
  }
  const std::string path = typed.text("EVENTS");
  if (const absl::Status regular = check_regular_file(path); !regular.ok()) {
    return prefixed(regular, fmt::format("the file {} can't be read", path));
  }
  std::ifstream events(path);
  history::Replay replay(std::move(selector));
  std::string line;
  std::size_t number = 0;
  while (++number < list.line && std::getline(events, line)) {
    if (line.empty()) continue;
    if (number > times.size())
      return invalid(fmt::format("{}: there is no receive time for line {}", path, number));
    // As in a stream: a line that is no JSON is put aside and the next one is read.
    if (const auto event = parse_json(line, {.depth = 128}); event.ok())
      replay.event(*event, times[number - 1]);
  }
  if (typed.has("list")) {
    if (times.empty()) return invalid("--list needs a receive time");
    replay.list(list.list, times[std::min(list.line, times.size()) - 1]);
  }
  return replay.result();
}

int replay(const cli::Invocation& typed, cli::Environment& environment) {
  const auto result = replayed(typed);
  if (!result.ok()) {
    cli::print_error(environment, message(result.status()));
    return absl::IsNotFound(result.status()) ? cli::kError : cli::kUsage;
  }
  environment.out << json::serialize(*result) << '\n';
  return cli::kOk;
}

}  // namespace

std::vector<cli::Command> history_commands() {
  return {
      {.path = {"history", "replay"},
       .summary = "show what a stream of watch events would have been recorded as",
       .description =
           "Reads watch events of SparkApplications, one JSON a line, with the times they were received at, "
           "and prints the records and data windows that the rules make of them. Nothing is stored.",
       .arguments = {{.name = "EVENTS", .help = "watch events, one a line", .type = cli::ValueType::kFile}},
       .flags = {{.name = "received-at",
                  .value = "TIMES",
                  .help = "a JSON array: the time of line 1, 2, …",
                  .type = cli::ValueType::kFile},
                 {.name = "selector",
                  .value = "SELECTOR",
                  .help = "what is recorded (default: has a record id)"},
                 {.name = "list",
                  .value = "FILE@LINE",
                  .help = "a complete list that comes instead of the events from LINE on"}},
       .examples = {{"waybill history replay events.jsonl --received-at times.json",
                     "the records of a stream"}},
       .run = replay},
  };
}

}  // namespace waybill::app
