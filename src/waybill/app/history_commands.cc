#include "waybill/app/history_commands.h"

#include <absl/status/statusor.h>
#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>
#include <charconv>
#include <exception>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "waybill/app/config_commands.h"
#include "waybill/app/dead_letters_command.h"
#include "waybill/app/record_attributes.h"
#include "waybill/app/settings.h"
#include "waybill/app/system_clock.h"
#include "waybill/app/watching.h"
#include "waybill/base/file.h"
#include "waybill/base/json.h"
#include "waybill/base/status.h"
#include "waybill/base/time.h"
#include "waybill/cli/cli.h"
#include "waybill/config/load.h"
#include "waybill/history/recorded_replay.h"
#include "waybill/history/replay.h"
#include "waybill/history/watchers.h"
#include "waybill/kube/shared_watch.h"
#include "waybill/storage/database.h"

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

// What a replay is given: the events with their times, and perhaps a list at the end.
struct Stream {
  history::LabelSelector selector;
  std::vector<std::pair<json::value, absl::Time>> events;
  std::optional<std::pair<json::value, absl::Time>> list;
};

absl::StatusOr<Stream> read_stream(const cli::Invocation& typed) {
  Stream stream;
  WB_ASSIGN(stream.selector, history::LabelSelector::parse(typed.text("selector", history::kReplaySelector)));
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
  std::string line;
  std::size_t number = 0;
  while (++number < list.line && std::getline(events, line)) {
    if (line.empty()) continue;
    if (number > times.size())
      return invalid(fmt::format("{}: there is no receive time for line {}", path, number));
    // As in a stream: a line that is no JSON is put aside and the next one is read.
    if (auto event = parse_json(line, {.depth = 128}); event.ok())
      stream.events.emplace_back(*std::move(event), times[number - 1]);
  }
  if (typed.has("list")) {
    if (times.empty()) return invalid("--list needs a receive time");
    stream.list.emplace(std::move(list.list), times[std::min(list.line, times.size()) - 1]);
  }
  return stream;
}

json::object in_memory(const Stream& stream) {
  history::Replay replay(stream.selector);
  for (const auto& [event, at] : stream.events) replay.event(event, at);
  if (stream.list) replay.list(stream.list->first, stream.list->second);
  return replay.result();
}

Task<absl::StatusOr<json::object>> play(std::shared_ptr<history::RecordedReplay> replay,
                                        std::shared_ptr<const Stream> stream) {
  const absl::Status started = co_await replay->start();
  WB_CO_TRY(started);
  for (const auto& [event, at] : stream->events) {
    json::value one = event;
    const absl::Status taken = co_await replay->event(std::move(one), at);
    WB_CO_TRY(taken);
  }
  if (stream->list) {
    json::value list = stream->list->first;
    const absl::Status taken = co_await replay->list(std::move(list), stream->list->second);
    WB_CO_TRY(taken);
  }
  absl::StatusOr<json::object> result = co_await replay->result();
  co_await replay->stop();
  co_return result;
}

// Runs a task on an io thread of its own to its end.
template <class T>
T run_to_end(boost::asio::io_context& io, Task<T> task) {
  std::optional<T> answer;
  boost::asio::co_spawn(io, std::move(task), [&](const std::exception_ptr& problem, T value) {
    answer.emplace(problem ? T(absl::InternalError("it ended with an exception")) : std::move(value));
    io.stop();
  });
  io.run();
  return *std::move(answer);
}

absl::StatusOr<json::object> in_database(Stream stream, const std::string& database) {
  boost::asio::io_context io(1);
  SystemClock clock;
  Log log(LogLevel::kWarn);
  IdGenerator ids;
  storage::DatabaseOptions options;
  options.connection = database;
  options.pool_size = 1;
  options.instance = InstanceId(ids.next(clock.now()));
  options.host = "history replay";
  WB_ASSIGN(const std::unique_ptr<storage::Storage> storage,
            storage::open(std::move(options), io.get_executor(), clock, log));
  history::LabelSelector selector = stream.selector;
  auto replay =
      std::make_shared<history::RecordedReplay>(history::ReplayPorts{.io = io.get_executor(),
                                                                     .records = storage->records(),
                                                                     .reader = storage->record_reader(),
                                                                     .events = storage->events(),
                                                                     .log = log},
                                                "replay", std::move(selector));
  return run_to_end(io, play(replay, std::make_shared<const Stream>(std::move(stream))));
}

absl::StatusOr<json::object> replayed(const cli::Invocation& typed) {
  WB_ASSIGN(Stream stream, read_stream(typed));
  if (!typed.has("database")) return in_memory(stream);
  return in_database(std::move(stream), typed.text("database"));
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

Task<absl::Status> fill(std::shared_ptr<const std::vector<history::WatchedCluster>> clusters,
                        history::WatchersPorts ports, std::size_t manifest_bytes) {
  absl::Status outcome;
  for (const history::WatchedCluster& cluster : *clusters) {
    for (const domain::WatchScope& scope : history::scopes_of(cluster)) {
      const absl::Status status = co_await history::backfill(ports, cluster, scope, manifest_bytes);
      if (!status.ok()) outcome = prefixed(status, fmt::format("cluster {}", cluster.cluster));
    }
  }
  co_return outcome;
}

absl::Status filled(const config::Config& config, Log& log) {
  boost::asio::io_context io(1);
  SystemClock clock;
  IdGenerator ids;
  const Redactor redactor(config.secret_keys);
  if (config.history.empty()) return invalid("the config has no history entry: there is nothing to record");
  WB_ASSIGN(std::vector<history::WatchedCluster> clusters,
            watched_clusters(io.get_executor(), clock, config));
  WB_ASSIGN(const std::unique_ptr<storage::Storage> storage,
            storage::open(database_options(config, InstanceId(ids.next(clock.now()))), io.get_executor(),
                          clock, log));
  kube::SharedWatches watches(io.get_executor(), clock, log);
  const auto catalog = std::make_shared<const domain::Catalog>(config.base);
  history::WatchersPorts ports{
      .io = io.get_executor(),
      .records = storage->records(),
      .clock = clock,
      .log = log,
      .redactor = redactor,
      .watches = watches,
      .render = record_attributes([catalog] { return catalog; }, redactor, render_options(config))};
  auto shared = std::make_shared<const std::vector<history::WatchedCluster>>(std::move(clusters));
  return run_to_end(io, fill(std::move(shared), std::move(ports), config.limits.manifest_bytes));
}

int backfill(const cli::Invocation& typed, cli::Environment& environment) {
  config::Loaded loaded = config::load(typed.text("config"), load_options());
  print_findings(loaded, environment);
  if (!loaded.ok()) return cli::kUsage;
  Log log(loaded.config->log.level, loaded.config->log.format);
  const absl::Status status = filled(*loaded.config, log);
  if (status.ok()) return cli::kOk;
  cli::print_error(environment, message(status));
  return cli::kError;
}

}  // namespace

std::vector<cli::Command> history_commands() {
  return {
      {.path = {"history", "replay"},
       .summary = "show what a stream of watch events would have been recorded as",
       .description =
           "Reads watch events of SparkApplications, one JSON a line, with the times they were received at, "
           "and prints the records and data windows that the rules make of them. Nothing is stored, unless a "
           "database is named: then the events go through the server's own recorder into it, as a cluster "
           "\"replay\", and what is printed is read from its tables.",
       .arguments = {{.name = "EVENTS", .help = "watch events, one a line", .type = cli::ValueType::kFile}},
       .flags = {{.name = "received-at",
                  .value = "TIMES",
                  .help = "a JSON array: the time of line 1, 2, …",
                  .type = cli::ValueType::kFile},
                 {.name = "database",
                  .value = "URL",
                  .help = "record into sqlite:FILE or postgres://… (one for trying: records stay there)"},
                 {.name = "selector",
                  .value = "SELECTOR",
                  .help = "what is recorded (default: has a record id)"},
                 {.name = "list",
                  .value = "FILE@LINE",
                  .help = "a complete list that comes instead of the events from LINE on"}},
       .examples = {{"waybill history replay events.jsonl --received-at times.json",
                     "the records of a stream"}},
       .run = replay},
      {.path = {"history", "backfill"},
       .summary = "record what is on the clusters now, once",
       .description =
           "Lists the SparkApplications of each history entry of the configuration and records them as a "
           "server with the role watcher would, without serving. On SQLite no server may use the file.",
       .flags = {{.name = "config",
                  .letter = 'c',
                  .value = "FILE",
                  .help = "the configuration",
                  .type = cli::ValueType::kFile}},
       .examples = {{"waybill history backfill --config waybill.yaml", "fill an empty history"}},
       .run = backfill},
      dead_letters_command(),
  };
}

}  // namespace waybill::app
