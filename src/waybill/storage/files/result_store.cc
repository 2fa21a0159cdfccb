#include "waybill/storage/files/result_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <boost/json.hpp>
#include <cerrno>
#include <cmath>
#include <string>
#include <system_error>
#include <utility>

#include "waybill/base/go_json.h"
#include "waybill/base/status.h"
#include "waybill/storage/files/job_files.h"

namespace waybill::storage {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr char kName[] = "result.json";

absl::Status failure(std::string_view what, const JobId& id) {
  return unavailable(fmt::format("cannot {} the result of job {}: {}", what, id.str(),
                                 std::generic_category().message(errno)));
}

// Go leaves out empty members.
json::array columns_of(const domain::ResultTable& table) {
  json::array columns;
  for (const domain::ResultColumn& column : table.columns) {
    json::object& made = columns.emplace_back(json::object()).get_object();
    if (!column.name.empty()) made["name"] = column.name;
    if (!column.type.empty()) made["type"] = column.type;
  }
  return columns;
}

// As append_go_json(), but whole numbers stay exact: ids of 64 bits are common in results.
void append_cell(const json::value& value, std::string& out) {
  const char* separator = "";
  switch (value.kind()) {
    case json::kind::int64:
      out += std::to_string(value.get_int64());
      return;
    case json::kind::uint64:
      out += std::to_string(value.get_uint64());
      return;
    case json::kind::double_:
      if (std::isfinite(value.get_double())) return append_go_number(value.get_double(), out);
      out += "null";
      return;
    case json::kind::array:
      out += '[';
      for (const json::value& item : value.get_array()) {
        out += std::exchange(separator, ",");
        append_cell(item, out);
      }
      out += ']';
      return;
    case json::kind::object:
      out += '{';
      for (const auto& member : value.get_object()) {
        out += std::exchange(separator, ",");
        append_json_string(member.key(), out);
        out += ':';
        append_cell(member.value(), out);
      }
      out += '}';
      return;
    default:
      append_go_json(value, out);
  }
}

std::string text_of(const domain::ResultTable& table, const json::array& columns) {
  std::string out = "{\"columns\":";
  append_go_json(columns, out);
  out += ",\"data\":[";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (i > 0) out += ',';
    append_cell(table.rows[i], out);
  }
  out += table.truncated ? "],\"truncated\":true}" : "]}";
  return out;
}

absl::StatusOr<json::value> write(const fs::path& root, const JobId& id, const domain::ResultTable& table) {
  std::error_code made;
  fs::create_directories(root, made);
  const UniqueFd directory = open_folder(root.string(), job_folder(id.str(), 1), true);
  if (!directory.ok()) return failure("make the directory for", id);
  json::array columns = columns_of(table);
  const std::string text = text_of(table, columns);
  if (!write_atomically(directory.get(), kName, text, true)) return failure("write", id);
  json::object about;
  about["columns"] = std::move(columns);
  about["rows"] = table.rows.size();
  about["bytes"] = text.size();
  if (table.truncated) about["truncated"] = true;
  return about;
}

absl::StatusOr<std::string> read(const fs::path& root, const JobId& id) {
  const UniqueFd directory = open_folder(root.string(), job_folder(id.str(), 1), false);
  const UniqueFd file = directory.ok() ? open_regular(directory.get(), kName) : UniqueFd();
  if (!file.ok() && errno == ENOENT) return not_found(fmt::format("job {} has no result", id.str()));
  struct stat about = {};
  if (!file.ok() || ::fstat(file.get(), &about) != 0) return failure("read", id);
  std::string text(static_cast<std::size_t>(about.st_size), '\0');
  const ssize_t n = read_at(file.get(), text.data(), text.size(), 0);
  if (n < 0) return failure("read", id);
  text.resize(static_cast<std::size_t>(n));
  return text;
}

}  // namespace

FileResultStore::FileResultStore(Pool& pool, fs::path result_directory)
    : pool_(pool), result_directory_(std::move(result_directory)) {}

Task<absl::StatusOr<json::value>> FileResultStore::put(JobId id,
                                                       std::shared_ptr<const domain::ResultTable> result) {
  auto work = [root = result_directory_, id = std::move(id), result = std::move(result)] {
    return write(root, id, *result);
  };
  co_return co_await on(pool_, std::move(work));
}

Task<absl::StatusOr<std::string>> FileResultStore::get(JobId id) {
  auto work = [root = result_directory_, id = std::move(id)] { return read(root, id); };
  co_return co_await on(pool_, std::move(work));
}

Task<absl::Status> FileResultStore::remove(JobId id) {
  auto work = [root = result_directory_, id = std::move(id)]() -> absl::Status {
    const std::string folder = job_folder(id.str(), 1);
    std::error_code problem;
    if (!folder.empty()) fs::remove_all(root / folder, problem);
    if (!problem) return absl::OkStatus();
    return unavailable(fmt::format("cannot remove the result of job {}: {}", id.str(), problem.message()));
  };
  co_return co_await on(pool_, std::move(work));
}

}  // namespace waybill::storage
