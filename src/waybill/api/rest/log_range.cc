#include "waybill/api/rest/log_range.h"

#include <algorithm>
#include <charconv>

#include "waybill/api/rest/http/message.h"

namespace waybill::rest {
namespace {

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

RangeAnswer parse_range(std::string_view header, std::uint64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  RangeAnswer answer;
  if (header.size() <= kUnit.size() || !same_letters(header.substr(0, kUnit.size()), kUnit)) return answer;
  const std::string_view spec = trimmed(header.substr(kUnit.size()));
  const std::size_t dash = spec.find('-');
  if (dash == std::string_view::npos || spec.find(',') != std::string_view::npos) return answer;
  const auto first = number(spec.substr(0, dash));
  const auto last = number(spec.substr(dash + 1));
  if (dash == 0) {
    if (!last) return answer;
    answer.range = {size - std::min(*last, size), size};
  } else {
    if (!first || (!last && dash + 1 != spec.size()) || (last && *last < *first)) return answer;
    answer.range = {*first, last && *last < size ? *last + 1 : size};
  }
  const bool any = answer.range.begin < size && answer.range.begin < answer.range.end;
  answer.kind = any ? RangeKind::kPart : RangeKind::kUnsatisfiable;
  return answer;
}

}  // namespace waybill::rest
