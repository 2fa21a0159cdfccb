#include "waybill/api/rest/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "waybill/api/rest/http/message.h"
#include "waybill/base/json.h"
#include "waybill/base/status.h"
#include "waybill/base/time.h"

namespace waybill::rest {
namespace {

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

absl::StatusOr<std::string> decoded(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      const int high = i + 2 < text.size() ? hex(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex(text[i + 2]) : -1;
      if (high < 0 || low < 0)
        return invalid("the URL has a % that is not followed by two hexadecimal digits");
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  if (!is_clean_utf8(out)) return invalid("the URL holds text that is not UTF-8, or the character U+0000");
  return out;
}

std::string_view next_part(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return part;
}

// The length of the UTF-8 character that begins here, so that _ stands for one character and not for one
// byte.
std::size_t character(std::string_view text) {
  std::size_t size = 1;
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xc0U) == 0x80) ++size;
  return size;
}

}  // namespace

absl::StatusOr<Query> Query::parse(std::string_view text) {
  Query query;
  while (!text.empty()) {
    std::string_view pair = next_part(text, '&');
    if (pair.empty()) continue;
    const std::string_view name = next_part(pair, '=');
    WB_ASSIGN(std::string key, decoded(name, true));
    WB_ASSIGN(std::string value, decoded(pair, true));
    query.items_.emplace_back(std::move(key), std::move(value));
  }
  return query;
}

const std::string* Query::find(std::string_view name) const {
  for (auto item = items_.rbegin(); item != items_.rend(); ++item) {
    if (item->first == name) return &item->second;
  }
  return nullptr;
}

std::string_view Query::get(std::string_view name) const {
  const std::string* value = find(name);
  return value == nullptr ? std::string_view() : std::string_view(*value);
}

std::vector<std::string> Query::list(std::string_view name) const { return comma_list(get(name)); }

std::vector<std::string> Query::exact_list(std::string_view name) const {
  std::vector<std::string> words;
  for (std::string_view text = get(name); !text.empty();) words.emplace_back(next_part(text, ','));
  return words;
}

absl::StatusOr<bool> Query::flag(std::string_view name) const {
  const std::string_view word = get(name);
  if (word == "true" || word == "1") return true;
  if (word.empty() || word == "false" || word == "0") return false;
  return invalid(fmt::format("{}: \"{}\" is neither true nor false", name, word));
}

absl::StatusOr<std::vector<std::string>> path_segments(std::string_view path) {
  std::vector<std::string> segments;
  if (!path.empty() && path.front() == '/') path.remove_prefix(1);
  if (!path.empty() && path.back() == '/') path.remove_suffix(1);
  if (path.empty()) return segments;
  while (true) {
    const std::size_t slash = path.find('/');
    WB_ASSIGN(std::string segment, decoded(path.substr(0, slash), false));
    segments.push_back(std::move(segment));
    if (slash == std::string_view::npos) return segments;
    path.remove_prefix(slash + 1);
  }
}

std::vector<std::string> comma_list(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::string_view part = trimmed(next_part(text, ','));
    if (!part.empty()) parts.emplace_back(part);
  }
  return parts;
}

// Remembers the last % only: where the rest fails to match, that one takes a character more. No recursion, so
// that no pattern takes more than |pattern| x |text| steps.
bool like(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '%') {
      star = ++p;
      star_text = t;
      continue;
    }
    if (p < pattern.size() && pattern[p] == '_') {
      ++p;
      t += character(text.substr(t));
      continue;
    }
    const std::size_t literal = p + 1 < pattern.size() && pattern[p] == '\\' ? p + 1 : p;
    if (literal < pattern.size() && pattern[literal] == text[t]) {
      p = literal + 1;
      ++t;
      continue;
    }
    if (star == std::string_view::npos) return false;
    p = star;
    t = ++star_text;
  }
  while (p < pattern.size() && pattern[p] == '%') ++p;
  return p == pattern.size();
}

std::optional<std::string> Query::some(std::string_view name) const {
  if (get(name).empty()) return std::nullopt;
  return std::string(get(name));
}

absl::StatusOr<std::optional<absl::Time>> Query::time(std::string_view name) const {
  if (get(name).empty()) return std::optional<absl::Time>();
  absl::StatusOr<absl::Time> time = parse_time(get(name));
  if (!time.ok()) return prefixed(time.status(), name);
  return std::optional<absl::Time>(*time);
}

std::size_t read_limit(std::string_view text, std::size_t most) {
  constexpr std::size_t kPage = 101;
  std::size_t limit = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), limit);
  const bool whole = read.ptr == text.data() + text.size();
  if (!whole || read.ec != std::errc() || limit == 0) return kPage;
  return std::min(limit, most);
}

absl::StatusOr<bool> read_descending(const Query& query) {
  const std::string_view direction = query.get("direction");
  if (!direction.empty() && !same_letters(direction, "asc") && !same_letters(direction, "desc")) {
    return invalid(fmt::format("direction: \"{}\" is neither asc nor desc", direction));
  }
  return !same_letters(direction, "asc");
}

bool accepts(const std::string* accept, std::string_view type) {
  if (accept == nullptr) return false;
  for (const std::string& range : comma_list(*accept)) {
    if (same_letters(trimmed(std::string_view(range).substr(0, range.find(';'))), type)) return true;
  }
  return false;
}

std::string exactly(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace waybill::rest
