#include <sched.h>
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json.hpp>
#include <chrono>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/history/buffer_api.h"
#include "bench/history/captured.h"
#include "bench/history/plain_upserts.h"
#include "bench/history/watch_bytes.h"
#include "waybill/base/log.h"
#include "waybill/base/status.h"
#include "waybill/history/recorder.h"
#include "waybill/history/watchers.h"
#include "waybill/storage/database.h"

// From the bytes of a watch, or of a list, to committed rows: the reflector, the rules and the recorder as
// they are in the server, without its network. Beside that what bounds it: parsing the same bytes, and
// writing the same rows with nothing but the database's client. JSON on stdout.
namespace waybill::bench {
namespace {

namespace asio = boost::asio;
using SteadyTime = std::chrono::steady_clock::time_point;

double seconds_since(SteadyTime begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double cpu_seconds() {
  timespec spent{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) / 1e9;
}

class RealClock : public ports::Clock {
 public:
  explicit RealClock(asio::any_io_executor io) : io_(std::move(io)) {}
  [[nodiscard]] absl::Time now() const override { return absl::Now(); }
  Task<void> sleep(absl::Duration duration) override {
    asio::steady_timer timer(io_, absl::ToChronoNanoseconds(duration));
    const auto ended = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    static_cast<void>(ended);
  }

 private:
  asio::any_io_executor io_;
};

struct Timing {
  double seconds = 0;
  double cpu = 0;
};

// A database and a recorder of one scope of it.
class Recording {
 public:
  explicit Recording(const std::string& database) : clock_(io_.get_executor()) {
    storage::DatabaseOptions options;
    options.connection = database;
    options.pool_size = 1;
    auto opened = storage::open(options, io_.get_executor(), clock_, log_);
    if (!opened.ok()) throw std::runtime_error(message(opened.status()));
    storage_ = *std::move(opened);
    store_ = std::make_unique<CapturingStore>(storage_->records());
  }

  // All that the handler gives, until it calls what it is given: then nothing more comes.
  Timing run(const std::function<BufferApi::Handler(std::function<void()>)>& make_handler,
             const std::string& start_at, std::vector<ports::RecordBatch>* keep) {
    store_->keep(keep);
    history::RecorderOptions options;
    options.scope = {.cluster = "bench", .name_space = "", .selector = ""};
    history::Recorder recorder(
        {.io = io_.get_executor(), .records = *store_, .clock = clock_, .log = log_, .redactor = redactor_},
        std::move(options));
    kube::Reflector* to_stop = nullptr;
    BufferApi api(make_handler([&to_stop] { to_stop->stop(); }));
    kube::ReflectorOptions how;
    how.listing.resource = history::spark_applications();
    how.streaming_lists = false;
    how.start_at = start_at;
    kube::Reflector reflector(io_.get_executor(), api, clock_, log_, std::move(how), recorder);
    to_stop = &reflector;
    const auto begin = std::chrono::steady_clock::now();
    const double spent = cpu_seconds();
    finish(drive(recorder, reflector));
    const Timing timing{seconds_since(begin), cpu_seconds() - spent};
    if (recorder.metrics().dead_letters > 0) throw std::runtime_error("there are dead letters");
    recorder.stop();
    finish(recorder.join());
    return timing;
  }

 private:
  static Task<void> drive(history::Recorder& recorder,
                          kube::Reflector& reflector) {  // NOLINT: both outlive it
    const auto started = co_await recorder.start();
    if (!started.ok()) throw std::runtime_error(message(started.status()));
    co_await reflector.run();
    co_await recorder.flush();
  }
  void finish(Task<void> task) {
    std::exception_ptr problem;
    bool done = false;
    asio::co_spawn(io_, std::move(task), [&](std::exception_ptr failed) {
      problem = std::move(failed);
      done = true;
    });
    io_.restart();
    auto guard = asio::make_work_guard(io_);
    while (!done) io_.run_one();
    if (problem) std::rethrow_exception(problem);
  }

  asio::io_context io_{1};
  RealClock clock_;
  Log log_{LogLevel::kError};
  Redactor redactor_;
  std::unique_ptr<storage::Storage> storage_;
  std::unique_ptr<CapturingStore> store_;
};

struct Options {
  std::string database;
  std::string other_database;  // for the plain upserts
  std::string recording;
  std::size_t count = 20'000;
  std::size_t live = 1000;
  int rounds = 3;
  bool one_core = false;
};

WatchBytes bytes_like(const Options& options) {
  std::ifstream file(options.recording);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return {lines, options.live};
}

double parse_seconds(const std::string& lines) {
  const auto begin = std::chrono::steady_clock::now();
  std::size_t members = 0;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    members += boost::json::parse(boost::json::string_view(lines).substr(at, end - at)).get_object().size();
    at = end + 1;
  }
  if (members == 0) throw std::runtime_error("there is nothing to parse");
  return seconds_since(begin);
}

bool is_sqlite(const std::string& database) { return database.starts_with("sqlite:"); }

double plain_seconds(const std::string& database, const std::vector<ports::RecordBatch>& batches) {
  return is_sqlite(database) ? plain_sqlite(database.substr(7), batches) : plain_postgres(database, batches);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

boost::json::object events(const Options& options) {
  WatchBytes made = bytes_like(options);
  {
    const Recording schema(options.other_database);
  }
  Recording recording(options.database);
  std::vector<double> ours, cpu, parsing, plain;
  std::size_t size = 0, objects = 0, records = 0;
  std::string position = "1000";
  std::vector<ports::RecordBatch> kept;
  for (int round = 0; round <= options.rounds; ++round) {
    std::string lines;
    for (std::size_t i = 0; i < options.count; ++i) lines += made.next();
    const auto handler = [&](std::function<void()> stop) {
      return [&lines, stop = std::move(stop)](const kube::ApiRequest&) {
        return BufferApi::Answer{&lines, stop};
      };
    };
    std::vector<ports::RecordBatch> batches;
    // The first round keeps the rows, warms up and does not count.
    const Timing timing = recording.run(handler, position, round == 0 ? &batches : nullptr);
    position = std::to_string(made.version());
    if (round == 0) {
      for (const auto& batch : batches) objects += batch.objects.size();
      for (const auto& batch : batches) {
        for (const auto& object : batch.objects) records += object.records.size();
      }
      kept = std::move(batches);
      continue;
    }
    ours.push_back(timing.seconds);
    cpu.push_back(timing.cpu);
    parsing.push_back(parse_seconds(lines));
    plain.push_back(plain_seconds(options.other_database, kept));
    size += lines.size();
  }
  const double count = static_cast<double>(options.count);
  return {{"events", options.count},
          {"bytes", size / static_cast<std::size_t>(options.rounds)},
          {"object_rows", objects},
          {"record_rows", records},
          {"per_second", count / median(ours)},
          {"per_cpu_second", count / median(cpu)},
          {"parsed_per_second", count / median(parsing)},
          {"plain_per_second", count / median(plain)}};
}

// Pages of 500 items.
std::vector<std::string> pages_of(const WatchBytes& made, std::size_t count) {
  std::vector<std::string> pages;
  for (std::size_t at = 0; at < count; at += 500) {
    const std::size_t end = std::min(at + 500, count);
    const std::string token = end < count ? std::to_string(pages.size() + 1) : "";
    std::string page =
        R"({"apiVersion":"sparkoperator.k8s.io/v1beta2","kind":"SparkApplicationList","metadata":{"continue":")" +
        token + R"(","resourceVersion":"900000000"},"items":[)";
    for (std::size_t i = at; i < end; ++i) page += (i == at ? "" : ",") + made.item(i);
    pages.push_back(page + "]}");
  }
  return pages;
}

boost::json::object lists(const Options& options) {
  const std::vector<std::string> pages = pages_of(bytes_like(options), options.count);
  Recording recording(options.database);
  const auto handler = [&](std::function<void()> stop) {
    return [&pages, stop = std::move(stop)](const kube::ApiRequest& request) {
      static const std::string& nothing = *new std::string();
      std::size_t page = 0;
      for (const auto& [name, value] : request.query) {
        if (name == "watch") return BufferApi::Answer{&nothing, stop};
        if (name == "continue") page = std::stoul(value);
      }
      return BufferApi::Answer{&pages[page], {}};
    };
  };
  const Timing first = recording.run(handler, "", nullptr);
  const Timing again = recording.run(handler, "", nullptr);
  return {{"objects", options.count},
          {"recorded_seconds", first.seconds},
          {"compared_seconds", again.seconds},
          {"compared_cpu_seconds", again.cpu}};
}

}  // namespace
}  // namespace waybill::bench

int main(int count, char** arguments) {
  using waybill::bench::Options;
  CLI::App app("measures the recording of a run history");
  Options options;
  app.add_option("--database", options.database)->required();
  app.add_option("--recording", options.recording, "watch events of one run")->required();
  app.add_option("--count", options.count, "events, or objects of a list");
  app.add_flag("--one-core", options.one_core, "all of this program on one core");
  app.require_subcommand(1);
  CLI::App* events = app.add_subcommand("events");
  events->add_option("--other-database", options.other_database, "for the plain upserts")->required();
  events->add_option("--live", options.live, "runs at a time");
  events->add_option("--rounds", options.rounds);
  app.add_subcommand("lists");
  CLI11_PARSE(app, count, arguments);
  if (options.one_core) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(0, &cores);
    sched_setaffinity(0, sizeof(cores), &cores);
  }
  try {
    std::cout << boost::json::serialize(events->parsed() ? waybill::bench::events(options)
                                                         : waybill::bench::lists(options))
              << '\n';
    return 0;
  } catch (const std::exception& problem) {
    std::cerr << "error: " << problem.what() << '\n';
    return 1;
  }
}
