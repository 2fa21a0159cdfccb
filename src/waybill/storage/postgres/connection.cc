#include "waybill/storage/postgres/connection.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "waybill/base/status.h"

namespace waybill::storage {
namespace {

// libpq's messages are lines; ours is one sentence.
std::string one_line(const char* text) {
  std::string out = text == nullptr ? "" : text;
  while (!out.empty() && (out.back() == '\n' || out.back() == ' ')) out.pop_back();
  for (char& c : out) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  return out;
}

// Classes 08 (connection), 53 (out of something) and 57P (shut down), and a server that has become a replica.
bool is_away(std::string_view state) {
  return state.starts_with("08") || state.starts_with("53") || state.starts_with("57P") || state == "25006" ||
         state == "55P03";
}

}  // namespace

absl::StatusOr<Connection> connect(const std::string& connection) {
  constexpr std::size_t kSettings = 8;
  const std::array<const char*, kSettings + 1> names = {
      "connect_timeout",  "keepalives_idle",  "keepalives_interval",
      "keepalives_count", "tcp_user_timeout", "application_name",
      "client_encoding",  "dbname",           nullptr};
  const std::array<const char*, kSettings + 1> values = {
      "5", "30", "10", "3", "30000", "waybill", "UTF8", connection.c_str(), nullptr};
  Connection made(PQconnectdbParams(names.data(), values.data(), 1));
  // By default libpq writes the server's notices to standard error.
  PQsetNoticeProcessor(made.get(), [](void* /*unused*/, const char* /*notice*/) {}, nullptr);
  if (PQstatus(made.get()) == CONNECTION_OK) return made;
  return unavailable(fmt::format("cannot connect to the database: {}", one_line(PQerrorMessage(made.get()))));
}

absl::Status to_status(PGconn* connection, const PGresult* result, const std::string& what) {
  const char* field = result == nullptr ? nullptr : PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const std::string_view state = field == nullptr ? "" : field;
  const char* primary = result == nullptr ? nullptr : PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  const std::string text = fmt::format("the database refused {}: {}", what,
                                       one_line(primary == nullptr ? PQerrorMessage(connection) : primary));
  if (PQstatus(connection) != CONNECTION_OK || state.empty() || is_away(state)) return unavailable(text);
  if (state == "23505") return error(absl::StatusCode::kAlreadyExists, "conflict", text);
  if (state == "40P01" || state == "40001") return aborted(text);
  if (state.starts_with("22") || state.starts_with("23")) return invalid(text);
  return error(absl::StatusCode::kInternal, "internal", text);
}

}  // namespace waybill::storage
