#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace waybill::rest {

// The parameters of a URL in their order, decoded. Of doubled ones the last counts.
class Query {
 public:
  // InvalidArgument: a broken %-escape, or text that is not UTF-8 or holds U+0000.
  static absl::StatusOr<Query> parse(std::string_view text);

  [[nodiscard]] const std::string* find(std::string_view name) const;
  // The value, "" where there is none.
  [[nodiscard]] std::string_view get(std::string_view name) const;
  // The parts between commas, trimmed, without empty ones.
  [[nodiscard]] std::vector<std::string> list(std::string_view name) const;
  // The same as they are written: words that count exactly.
  [[nodiscard]] std::vector<std::string> exact_list(std::string_view name) const;
  // "true" or "1"; InvalidArgument for other words than these, "false", "0" and "".
  [[nodiscard]] absl::StatusOr<bool> flag(std::string_view name) const;

  // The value; nullopt where there is none or an empty one.
  [[nodiscard]] std::optional<std::string> some(std::string_view name) const;
  // A time as parse_time() reads it, likewise; InvalidArgument names the parameter.
  [[nodiscard]] absl::StatusOr<std::optional<absl::Time>> time(std::string_view name) const;

  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& items() const { return items_; }
  void set(std::string name, std::string value) { items_.emplace_back(std::move(name), std::move(value)); }

 private:
  std::vector<std::pair<std::string, std::string>> items_;
};

// The segments of a path, each decoded once, so that "..%2f" is one odd segment. One trailing slash is
// dropped.
[[nodiscard]] absl::StatusOr<std::vector<std::string>> path_segments(std::string_view path);

// Trimmed parts of a comma-separated list, without empty ones.
[[nodiscard]] std::vector<std::string> comma_list(std::string_view text);

// `limit`: what is no positive number means the default, 101; too much means `most`.
[[nodiscard]] std::size_t read_limit(std::string_view text, std::size_t most);
// `direction`: whether newest first; InvalidArgument for a word that is neither asc nor desc.
[[nodiscard]] absl::StatusOr<bool> read_descending(const Query& query);
// Whether an Accept header names this media type.
[[nodiscard]] bool accepts(const std::string* accept, std::string_view type);

// Whether text matches a SQL LIKE pattern: % and _, case-sensitive, '\' takes the next character as it is.
[[nodiscard]] bool like(std::string_view pattern, std::string_view text);
// The pattern that matches this text alone.
[[nodiscard]] std::string exactly(std::string_view text);

}  // namespace waybill::rest
