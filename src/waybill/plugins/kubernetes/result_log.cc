#include "waybill/plugins/kubernetes/result_log.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <utility>

#include "waybill/base/json.h"
#include "waybill/base/status.h"
#include "waybill/base/unique_fd.h"
#include "waybill/kube/json_access.h"
#include "waybill/storage/files/job_files.h"
#include "waybill/storage/files/log_file.h"

namespace waybill::plugins {
namespace json = boost::json;
namespace {

constexpr std::size_t kBlock = 65536;
constexpr std::size_t kLongestLine = 16 << 20;

absl::StatusOr<std::vector<domain::ResultColumn>> columns_of(const json::value& head) {
  const json::value* list = head.is_object() ? head.get_object().if_contains("columns") : nullptr;
  if (list == nullptr || !list->is_array())
    return invalid("the first one must hold {\"columns\": [{\"name\": …, \"type\": …}]}");
  std::vector<domain::ResultColumn> columns;
  for (const json::value& one : list->get_array()) {
    if (!one.is_object()) return invalid("a column is not an object");
    columns.push_back(
        {.name = kube::text_at(one.get_object(), "name"), .type = kube::text_at(one.get_object(), "type")});
  }
  return columns;
}

}  // namespace

absl::Status ResultLines::take(std::string_view line) {
  if (!line.starts_with(kResultMark)) return absl::OkStatus();
  ++line_;
  line.remove_prefix(kResultMark.size());
  if (table_ != nullptr && (table_->truncated || table_->rows.size() >= limits_.result_rows ||
                            bytes_ + line.size() > limits_.result_bytes)) {
    table_->truncated = true;
    return absl::OkStatus();
  }
  absl::StatusOr<json::value> value = parse_json(line);
  if (!value.ok()) return prefixed(value.status(), fmt::format("result line {}", line_));
  if (table_ == nullptr) {
    auto columns = columns_of(*value);
    if (!columns.ok()) return prefixed(columns.status(), fmt::format("result line {}", line_));
    table_ = std::make_shared<domain::ResultTable>();
    table_->columns = *std::move(columns);
    return absl::OkStatus();
  }
  if (!value->is_array() || value->get_array().size() != table_->columns.size())
    return invalid(
        fmt::format("result line {}: it is not a list of {} values", line_, table_->columns.size()));
  bytes_ += line.size();
  table_->rows.push_back(*std::move(value));
  return absl::OkStatus();
}

void ResultLines::truncate() {
  if (table_ != nullptr) table_->truncated = true;
}

absl::StatusOr<std::shared_ptr<const domain::ResultTable>> read_result_log(const std::string& jobs_directory,
                                                                           const std::string& folder,
                                                                           const ports::RunLimits& limits) {
  ResultLines lines(limits);
  const UniqueFd directory = storage::open_folder(jobs_directory, folder, false);
  const storage::LogReader log(directory.get(), "stdout");
  if (!directory.ok() || !log.ok()) return nullptr;
  const storage::LogState state = log.state();
  std::string line;
  for (std::uint64_t offset = 0; offset < state.size;) {
    if (state.gap_end > 0 && offset >= state.gap_begin && offset < state.gap_end) {
      // What was left out may have held rows.
      lines.truncate();
      line.clear();
      offset = state.gap_end;
      continue;
    }
    std::string block;
    if (!log.read(offset, kBlock, block, offset)) return unavailable("the log can't be read");
    if (block.empty()) break;
    std::string_view rest = block;
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      line.append(rest.substr(0, end));
      WB_TRY(lines.take(line));
      line.clear();
      rest.remove_prefix(end + 1);
    }
    line.append(rest);
    if (line.size() > kLongestLine) line.resize(kResultMark.size());
  }
  WB_TRY(lines.take(line));
  return lines.result();
}

}  // namespace waybill::plugins
