#pragma once

#include <absl/time/time.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "waybill/cli/cli.h"

namespace waybill::testing {

// Runs command lines as the program would, with a clock that only moves when the program waits.
class CliRun {
 public:
  CliRun() : interrupt_(eventfd(0, 0)) {
    std::string name = (std::filesystem::temp_directory_path() / "waybill-cli-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    variables = {{"XDG_CONFIG_HOME", folder_.string()}};
  }
  ~CliRun() {
    std::filesystem::remove_all(folder_);
    close(interrupt_);
  }
  CliRun(const CliRun&) = delete;
  CliRun& operator=(const CliRun&) = delete;

  // The exit code. `out` and `err` are those of this run.
  int run(std::vector<std::string> args, cli::LocalCommands local = {}) {
    std::istringstream in(input);
    std::ostringstream out_stream;
    std::ostringstream err_stream;
    cli::Environment environment{.variables = variables,
                                 .in = in,
                                 .out = out_stream,
                                 .err = err_stream,
                                 .out_is_terminal = out_is_terminal,
                                 .err_is_terminal = err_is_terminal,
                                 .columns = columns,
                                 .login_name = "ann",
                                 .now = [this] { return now; },
                                 .sleep = [this](absl::Duration duration, int) { sleep(duration); },
                                 .catch_interrupts = false,
                                 .interrupt_fd = interrupt_};
    const int code = cli::run(std::move(args), environment, std::move(local));
    out = out_stream.str();
    err = err_stream.str();
    return code;
  }
  // As if the user pressed Ctrl-C, from any thread.
  void interrupt() const { eventfd_write(interrupt_, 1); }

  std::string write_file(const std::string& name, const std::string& text, mode_t mode = 0600) const {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    std::filesystem::permissions(path, std::filesystem::perms(mode));
    return path.string();
  }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  std::map<std::string, std::string> variables;
  std::string input;
  std::string out;
  std::string err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  int columns = 80;
  absl::Time now = absl::FromUnixSeconds(1'780'000'000);
  std::vector<absl::Duration> pauses;

 private:
  void sleep(absl::Duration duration) {
    pauses.push_back(duration);
    now += duration;
  }

  int interrupt_;
  std::filesystem::path folder_;
};

}  // namespace waybill::testing
