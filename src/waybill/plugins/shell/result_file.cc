#include "waybill/plugins/shell/result_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <boost/json.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <cerrno>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "waybill/base/status.h"
#include "waybill/storage/files/job_files.h"

namespace waybill::plugins {
namespace json = boost::json;
namespace {

constexpr char kName[] = "result.json";
constexpr std::size_t kBlock = 65536;
constexpr std::size_t kDepth = 32;
constexpr off_t kLongestFile = off_t{1} << 30;  // what is read in search of the columns

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_named(std::string_view name, std::string_view key) {
  return std::equal(name.begin(), name.end(), key.begin(), key.end(),
                    [](char a, char b) { return lower(a) == b; });
}

// "string"; of ["null", {"type": "bytes", …}] "bytes"; "" where there is none.
std::string type_name(const json::value& type) {
  if (const json::string* name = type.if_string()) return {name->begin(), name->end()};
  if (const json::array* choices = type.if_array()) {
    for (const json::value& choice : *choices) {
      const json::string* name = choice.if_string();
      if (name == nullptr || *name != "null") return type_name(choice);
    }
    return "";
  }
  if (const json::object* complex = type.if_object()) {
    const json::value* inner = complex->if_contains("type");
    return inner != nullptr && inner->is_string() ? type_name(*inner) : json::serialize(type);
  }
  return "";
}

// Takes the file's events apart: the values of "columns" and the rows of "data" are built, the rest passes
// by.
class ResultHandler {
 public:
  static constexpr std::size_t max_object_size = std::size_t(-1);
  static constexpr std::size_t max_array_size = std::size_t(-1);
  static constexpr std::size_t max_key_size = 1U << 16U;
  static constexpr std::size_t max_string_size = std::size_t(-1);

  ResultHandler(std::size_t max_rows, std::size_t max_bytes) : max_rows_(max_rows), max_bytes_(max_bytes) {}

  [[nodiscard]] const std::string& problem() const { return problem_; }
  std::shared_ptr<domain::ResultTable> take() {
    for (json::value& row : rows_) table_->rows.push_back(std::move(row));
    return std::move(table_);
  }

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code& ec) { return open(true, ec); }
  bool on_object_end(std::size_t n, json::error_code& ec) {
    return close([&] { stack_.push_object(n); }, ec);
  }
  bool on_array_begin(json::error_code& ec) { return open(false, ec); }
  bool on_array_end(std::size_t n, json::error_code& ec) {
    return close([&] { stack_.push_array(n); }, ec);
  }
  bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
    if (depth_ == 1) key_.append(part.data(), part.size());
    if (keeps()) stack_.push_chars(part);
    return true;
  }
  bool on_key(json::string_view part, std::size_t, json::error_code& ec) {
    if (depth_ == 1) {
      key_.append(part.data(), part.size());
      begin_member(std::exchange(key_, {}));
      return true;
    }
    if (keeps()) stack_.push_key(part);
    return count(part.size(), ec);
  }
  bool on_string_part(json::string_view part, std::size_t, json::error_code& ec) {
    if (keeps()) stack_.push_chars(part);
    return count(part.size(), ec);
  }
  bool on_string(json::string_view part, std::size_t, json::error_code& ec) {
    return count(part.size(), ec) && scalar([&] { stack_.push_string(part); }, ec);
  }
  bool on_number_part(json::string_view part, json::error_code&) {
    number_.append(part.data(), part.size());
    return true;
  }
  bool on_int64(std::int64_t number, json::string_view, json::error_code& ec) {
    number_.clear();
    return scalar([&] { stack_.push_int64(number); }, ec);
  }
  bool on_uint64(std::uint64_t number, json::string_view, json::error_code& ec) {
    number_.clear();
    return scalar([&] { stack_.push_uint64(number); }, ec);
  }
  // Boost's own double is rounded wrongly now and then; only where from_chars has none (out of range) it is
  // good enough to tell zero from infinity.
  bool on_double(double rough, json::string_view last, json::error_code& ec) {
    number_.append(last.data(), last.size());
    double exact = 0;
    const auto read = std::from_chars(number_.data(), number_.data() + number_.size(), exact);
    number_.clear();
    if (read.ec == std::errc::result_out_of_range && !(rough > -1 && rough < 1))
      return fail("a number is too large", ec);
    return scalar([&] { stack_.push_double(exact); }, ec);
  }
  bool on_bool(bool value, json::error_code& ec) {
    return scalar([&] { stack_.push_bool(value); }, ec);
  }
  bool on_null(json::error_code& ec) {
    return depth_ < 2 || scalar([&] { stack_.push_null(); }, ec);
  }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

 private:
  enum class Member { kOther, kColumns, kData };

  // Depth 0 is outside, 1 the members of the document, 2 the items of their lists.
  [[nodiscard]] bool keeps() const { return building_; }

  bool fail(std::string_view what, json::error_code& ec) {
    problem_ = what;
    ec = json::error::exception;
    return false;
  }

  bool fail_list(json::error_code& ec) {
    return fail(member_ == Member::kColumns ? "\"columns\" is not a list" : "\"data\" is not a list", ec);
  }

  // Bytes as they cost memory, roughly: what a value of JSON takes, and its characters.
  bool count(std::size_t bytes, json::error_code& ec) {
    if (!building_) return true;
    item_bytes_ += bytes;
    if (item_bytes_ + (member_ == Member::kColumns ? column_bytes_ : bytes_) <= max_bytes_) return true;
    if (member_ == Member::kColumns) return fail("the columns are larger than limits.result_bytes", ec);
    // The rest of this row passes by.
    table_->truncated = true;
    full_ = true;
    building_ = false;
    stack_.reset();
    return true;
  }

  void begin_member(const std::string& key) {
    member_ = is_named(key, "columns") ? Member::kColumns
              : is_named(key, "data")  ? Member::kData
                                       : Member::kOther;
    if (member_ == Member::kColumns) table_->columns.clear();
    if (member_ == Member::kData) {
      rows_.clear();
      bytes_ = 0;
      full_ = false;
      table_->truncated = false;
    }
  }

  bool open(bool is_object, json::error_code& ec) {
    if (depth_ == 0 && !is_object) return fail("it is not an object", ec);
    if (depth_ == 1 && is_object && member_ != Member::kOther) return fail_list(ec);
    if (depth_ == 2 && member_ != Member::kOther) {
      if (is_object != (member_ == Member::kColumns))
        return fail(
            member_ == Member::kColumns ? "a column is not an object" : "a row of \"data\" is not a list",
            ec);
      begin_item();
    }
    ++depth_;
    return true;
  }

  void begin_item() {
    if (member_ == Member::kData && rows_.size() >= max_rows_) full_ = true;
    if (full_) table_->truncated = true;
    building_ = member_ == Member::kColumns || !full_;
    item_bytes_ = 0;
    stack_.reset();
  }

  template <class Push>
  bool close(Push push, json::error_code& ec) {
    --depth_;
    if (!building_) return true;
    if (!count(sizeof(json::value), ec)) return false;
    if (!building_) return true;
    push();
    if (depth_ > 2) return true;
    building_ = false;
    (member_ == Member::kColumns ? column_bytes_ : bytes_) += item_bytes_;
    json::value item = stack_.release();
    if (member_ == Member::kData) {
      rows_.push_back(std::move(item));
      return true;
    }
    const json::object& column = item.get_object();
    domain::ResultColumn made;
    for (const auto& member : column) {
      if (is_named(member.key(), "name") && member.value().is_string())
        made.name = std::string(member.value().get_string());
      if (is_named(member.key(), "type")) made.type = type_name(member.value());
    }
    if ((made.name + made.type).find('\0') != std::string::npos)
      return fail("the name or type of a column holds U+0000", ec);
    table_->columns.push_back(std::move(made));
    return true;
  }

  template <class Push>
  bool scalar(Push push, json::error_code& ec) {
    if (depth_ == 0) return fail("it is not an object", ec);
    if (depth_ == 1 && member_ != Member::kOther) return fail_list(ec);
    if (depth_ == 2 && member_ == Member::kColumns) return fail("a column is not an object", ec);
    if (depth_ == 2 && member_ == Member::kData) return fail("a row of \"data\" is not a list", ec);
    if (!building_) return true;
    if (!count(sizeof(json::value), ec)) return false;
    if (building_) push();
    return true;
  }

  std::size_t max_rows_;
  std::size_t max_bytes_;
  std::shared_ptr<domain::ResultTable> table_ = std::make_shared<domain::ResultTable>();
  std::vector<json::value> rows_;
  json::value_stack stack_;
  std::string key_;
  std::string number_;  // the parts of a number so far
  std::string problem_;
  Member member_ = Member::kOther;
  int depth_ = 0;
  bool building_ = false;
  bool full_ = false;
  std::size_t bytes_ = 0;  // of the rows kept
  std::size_t column_bytes_ = 0;
  std::size_t item_bytes_ = 0;
};

// A row that is shorter than the columns gets nulls; one that is longer gets columns without a name.
void square(domain::ResultTable& table) {
  std::size_t width = table.columns.size();
  for (const json::value& row : table.rows) width = std::max(width, row.get_array().size());
  table.columns.resize(width);
  for (json::value& row : table.rows) row.get_array().resize(width);
}

absl::Status malformed(const std::string& what) { return invalid(fmt::format("{}: {}", kName, what)); }

}  // namespace

absl::StatusOr<std::shared_ptr<const domain::ResultTable>> read_result(int directory, std::size_t max_rows,
                                                                       std::size_t max_bytes) {
  struct stat about = {};
  if (::fstatat(directory, kName, &about, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR(about.st_mode)) return nullptr;
  const UniqueFd file = storage::open_regular(directory, kName);
  if (!file.ok())
    return malformed(errno == EINVAL || errno == ELOOP ? "it is not a regular file of the job's own"
                                                       : std::generic_category().message(errno));
  json::parse_options options;
  options.max_depth = kDepth;
  json::basic_parser<ResultHandler> parser(options, max_rows, max_bytes);
  std::vector<char> block(kBlock);
  off_t offset = 0;
  json::error_code problem;
  while (!problem) {
    const ssize_t n = storage::read_at(file.get(), block.data(), block.size(), offset);
    if (n < 0) return malformed(std::generic_category().message(errno));
    const std::size_t used = parser.write_some(n > 0, block.data(), static_cast<std::size_t>(n), problem);
    const bool done = parser.done() && !problem;
    const std::string_view rest(block.data() + used, static_cast<std::size_t>(n) - used);
    if (done && rest.find_first_not_of(" \t\r\n") != std::string_view::npos)
      problem = json::error::extra_data;
    if (problem && parser.handler().problem().empty())
      return malformed(fmt::format("malformed JSON near byte {}: {}", offset + static_cast<off_t>(used),
                                   problem.message()));
    offset += n;
    if (n == 0 || problem) break;
    if (offset > kLongestFile) return malformed(fmt::format("it is longer than {} bytes", kLongestFile));
  }
  if (!parser.handler().problem().empty()) return malformed(parser.handler().problem());
  std::shared_ptr<domain::ResultTable> table = parser.handler().take();
  square(*table);
  return table;
}

}  // namespace waybill::plugins
