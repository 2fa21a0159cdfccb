#pragma once

#include <absl/time/time.h>

#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>

namespace waybill::cli {

// All that a command sees of the machine it runs on, so that a test can give it another one.
struct Environment {
  std::map<std::string, std::string> variables = {};  // of the process
  std::istream& in;
  std::ostream& out;  // data
  std::ostream& err;  // everything else
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  int columns = 80;  // of the terminal; only looked at where `out` is one
  std::string login_name = {};
  std::function<absl::Time()> now;
  // Waits, at most until the descriptor (-1: none) is readable. Not set: really waits.
  std::function<void(absl::Duration, int descriptor)> sleep;
  // Blocks SIGINT while a client command runs, so that it can end in an orderly way.
  bool catch_interrupts = false;
  int interrupt_fd = -1;  // readable from the moment the user pressed Ctrl-C; -1: nobody does

  // A variable that is set and not empty.
  [[nodiscard]] std::optional<std::string> variable(const std::string& name) const;
  [[nodiscard]] bool interrupted() const;
  // Waits; false: the user interrupted it.
  [[nodiscard]] bool pause(absl::Duration duration) const;
};

// The real one: this process's variables, standard streams, terminal and clock.
[[nodiscard]] Environment process_environment();

// Turns SIGINT into a readable descriptor, and SIGPIPE into an error of the stream, for as long as it lives.
class InterruptWatch {
 public:
  explicit InterruptWatch(Environment& environment);
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  Environment& environment_;
  int descriptor_ = -1;
};

}  // namespace waybill::cli
