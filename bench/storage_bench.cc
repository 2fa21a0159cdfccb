#include <benchmark/benchmark.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "tests/support/postgres.h"
#include "tests/support/test_io.h"
#include "waybill/base/ids.h"
#include "waybill/base/log.h"
#include "waybill/base/status.h"
#include "waybill/storage/database.h"

// Inserts a second by how many are asked for at once, which is what a group commit makes one transaction of.
// Durable on both databases: compare with one at a time (1), the rate of commits.
namespace waybill {
namespace {

class Database {
 public:
  explicit Database(const std::string& connection) {
    storage::DatabaseOptions options;
    options.connection = connection;
    auto opened = storage::open(options, io_.executor(), clock_, log_);
    if (!opened.ok()) throw std::runtime_error(message(opened.status()));
    storage_ = *std::move(opened);
  }

  void insert(int count) {
    int done = 0;
    for (int i = 0; i < count; ++i) {
      boost::asio::co_spawn(io_.context(), storage_->jobs().insert(job(), std::nullopt, 0),
                            [&done](std::exception_ptr, const absl::StatusOr<ports::Inserted>& answer) {
                              if (!answer.ok()) std::abort();
                              ++done;
                            });
    }
    io_.wait_until([&] { return done == count; });
  }

 private:
  ports::NewJob job() {
    ports::NewJob fresh;
    fresh.job.id = JobId(ids_.next(absl::Now()));
    fresh.job.spec.name = "bench";
    fresh.job.spec.version = "1.0";
    fresh.job.spec.user = "ann";
    fresh.job.spec.tags = {"env:bench"};
    fresh.job.spec.context = boost::json::object{{"arguments", boost::json::array{"run", "x"}}};
    fresh.job.route.command_name = "ping";
    fresh.job.route.cluster_name = "local";
    return fresh;
  }

  ::waybill::testing::TestIo io_;
  ::waybill::testing::FakeClock clock_{io_.context()};
  Log log_{LogLevel::kError};
  IdGenerator ids_;
  std::unique_ptr<storage::Storage> storage_;
};

void insert_groups(benchmark::State& state, const std::string& connection) {
  Database database(connection);
  const int group = static_cast<int>(state.range(0));
  for (auto _ : state) database.insert(group);
  state.SetItemsProcessed(state.iterations() * group);
}

}  // namespace
}  // namespace waybill

int main(int count, char** arguments) {
  benchmark::Initialize(&count, arguments);
  std::string folder = "/tmp/waybill-bench-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return 1;
  waybill::testing::Postgres postgres(waybill::testing::Postgres::Durability::kFsync);
  const std::string sqlite = "sqlite:" + folder + "/bench.db";
  const std::string pg = postgres.create_database("bench");
  for (const auto& [name, connection] : {std::pair{"sqlite", sqlite}, std::pair{"postgres", pg}}) {
    benchmark::RegisterBenchmark(name, waybill::insert_groups, connection)
        ->Arg(1)
        ->Arg(8)
        ->Arg(32)
        ->Arg(256)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  std::filesystem::remove_all(folder);
  return 0;
}
