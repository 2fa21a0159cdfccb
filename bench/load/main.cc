// waybill_load: keeps a number of connections busy with one kind of request and prints what it measured as
// one line of JSON. bench/run.py calls it.
#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>

#include "bench/load/client.h"

int main(int argc, char** argv) {
  waybill::bench::Load load;
  std::string body_file;
  double seconds = 5;
  CLI::App app{"Sends HTTP requests as fast as they are answered and measures the answers"};
  app.add_option("--host", load.host, "address of the server");
  app.add_option("--port", load.port, "port of the server");
  app.add_option("--method", load.method, "GET, POST, …");
  app.add_option("--path", load.path, "path with query");
  app.add_option("--user", load.user, "the caller");
  app.add_option("--body", load.body, "body; each {n} in it becomes another number");
  app.add_option("--body-file", body_file, "file with the body");
  app.add_option("--connections", load.connections, "requests at the same time");
  app.add_option("--seconds", seconds, "how long");
  app.add_option("--requests", load.requests, "at most so many requests; 0: by time alone");
  app.add_option("--follow", load.follow, "path of the events: a request is done when its job has ended");
  CLI11_PARSE(app, argc, argv);
  try {
    if (!body_file.empty()) {
      std::ifstream file(body_file, std::ios::binary);
      load.body.assign(std::istreambuf_iterator<char>(file), {});
    }
    load.duration = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
    boost::asio::io_context io{1};
    std::chrono::nanoseconds wall{0};
    const auto figures = waybill::bench::run(io, load, wall);
    std::puts(figures.to_json(wall).c_str());
    return figures.answers() > 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
