#pragma once

#include <boost/json/fwd.hpp>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace waybill {

enum class LogLevel { kDebug, kInfo, kWarn, kError };

// One field of a log line. Values of secret-looking keys are masked.
struct LogField {
  std::string_view key;
  std::string value;
};

// Structured log to standard error, as text or JSON lines. Thread-safe; passed by reference to the parts that
// log.
class Log {
 public:
  enum class Format { kText, kJson };
  explicit Log(LogLevel level = LogLevel::kInfo, Format format = Format::kText);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void write(LogLevel level, std::string_view what, std::initializer_list<LogField> fields = {});
  void debug(std::string_view what, std::initializer_list<LogField> f = {}) {
    write(LogLevel::kDebug, what, f);
  }
  void info(std::string_view what, std::initializer_list<LogField> f = {}) {
    write(LogLevel::kInfo, what, f);
  }
  void warn(std::string_view what, std::initializer_list<LogField> f = {}) {
    write(LogLevel::kWarn, what, f);
  }
  void error(std::string_view what, std::initializer_list<LogField> f = {}) {
    write(LogLevel::kError, what, f);
  }

 private:
  struct Sink;
  std::unique_ptr<Sink> sink_;
};

}  // namespace waybill
