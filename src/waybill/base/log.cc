#include "waybill/base/log.h"

#include <absl/time/clock.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <boost/json.hpp>

#include "waybill/base/redact.h"
#include "waybill/base/time.h"

namespace waybill {
namespace {

const char* word(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kError:
      return "error";
  }
  return "info";
}

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

}  // namespace

struct Log::Sink {
  spdlog::logger logger{"waybill", std::make_shared<spdlog::sinks::stderr_sink_mt>()};
  Redactor redactor;
  Format format = Format::kText;
};

Log::Log(LogLevel level, Format format) : sink_(std::make_unique<Sink>()) {
  sink_->format = format;
  sink_->logger.set_level(spdlog_level(level));
  sink_->logger.set_pattern("%v");
}

Log::~Log() = default;

void Log::write(LogLevel level, std::string_view what, std::initializer_list<LogField> fields) {
  if (!sink_->logger.should_log(spdlog_level(level))) return;
  const std::string now = format_time(absl::Now());
  const auto shown = [&](const LogField& field) {
    return sink_->redactor.is_secret_key(field.key) ? std::string("***") : field.value;
  };
  std::string line;
  if (sink_->format == Format::kJson) {
    boost::json::object out{{"time", now}, {"level", word(level)}, {"message", what}};
    for (const LogField& field : fields) out[field.key] = shown(field);
    line = boost::json::serialize(out);
  } else {
    line = now + ' ' + word(level) + ' ' + std::string(what);
    for (const LogField& field : fields) {
      line += ' ' + std::string(field.key) + '=' + boost::json::serialize(boost::json::value(shown(field)));
    }
    // A line is a line: what a user or a peer sent must not make another.
    for (char& c : line) {
      if (static_cast<unsigned char>(c) < ' ') c = ' ';
    }
  }
  sink_->logger.log(spdlog_level(level), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace waybill
