#include "waybill/template/runes.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace waybill::gotemplate {
namespace {

struct RuneRange {
  std::uint32_t first;
  std::uint32_t last;
};

// How a range changes case: by a distance to upper, lower and title case, or, if alternating, upper and lower
// case take turns from the first rune on.
struct CaseRange {
  std::uint32_t first;
  std::uint32_t last;
  bool alternating;
  std::int32_t upper;
  std::int32_t lower;
  std::int32_t title;
};

#include "waybill/template/unicode_tables.inc"

template <class Range, std::size_t size>
const Range* find_range(const Range (&table)[size], Rune rune) {
  const auto* found = std::upper_bound(std::begin(table), std::end(table), rune,
                                       [](Rune value, const Range& range) { return value < range.first; });
  if (found == std::begin(table)) return nullptr;
  --found;
  return rune <= found->last ? found : nullptr;
}

Rune shifted(Rune rune, std::int32_t distance) {
  return static_cast<Rune>(static_cast<std::int32_t>(rune) + distance);
}

// The bytes of the sequence that a lead byte announces and the allowed second bytes; 0 for no lead byte.
struct Lead {
  std::size_t width;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
};

Lead lead_of(unsigned char byte) {
  if (byte < 0xC2 || byte > 0xF4) return {0};
  if (byte < 0xE0) return {2};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {4};
}

}  // namespace

Decoded decode_rune(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const Lead lead = lead_of(first);
  if (lead.width == 0 || text.size() < lead.width) return {kRuneError, 1};
  if (byte(1) < lead.low || byte(1) > lead.high) return {kRuneError, 1};
  Rune rune = first & (0xFFU >> (lead.width + 1));
  rune = rune << 6 | (byte(1) & 0x3FU);
  for (std::size_t at = 2; at < lead.width; ++at) {
    if ((byte(at) & 0xC0U) != 0x80U) return {kRuneError, 1};
    rune = rune << 6 | (byte(at) & 0x3FU);
  }
  return {rune, lead.width};
}

Decoded decode_last_rune(std::string_view text) {
  if (text.empty()) return {};
  for (std::size_t width = 1; width <= std::min<std::size_t>(4, text.size()); ++width) {
    const auto byte = static_cast<unsigned char>(text[text.size() - width]);
    if ((byte & 0xC0U) == 0x80U) continue;  // inside a sequence
    const Decoded decoded = decode_rune(text.substr(text.size() - width));
    if (decoded.width == width) return decoded;
    break;
  }
  return {kRuneError, 1};
}

std::size_t count_runes(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(decode_rune(text).width);
  return count;
}

void append_rune(std::string& out, Rune rune) {
  if (!is_valid_rune(rune)) rune = kRuneError;
  const auto put = [&out](Rune byte) { out.push_back(static_cast<char>(byte)); };
  if (rune < 0x80) return put(rune);
  if (rune < 0x800) {
    put(0xC0 | rune >> 6);
  } else {
    if (rune < 0x10000) {
      put(0xE0 | rune >> 12);
    } else {
      put(0xF0 | rune >> 18);
      put(0x80 | (rune >> 12 & 0x3F));
    }
    put(0x80 | (rune >> 6 & 0x3F));
  }
  put(0x80 | (rune & 0x3F));
}

bool is_letter_or_digit(Rune rune) {
  if (rune < 0x80) {
    return (rune >= 'a' && rune <= 'z') || (rune >= 'A' && rune <= 'Z') || (rune >= '0' && rune <= '9');
  }
  return find_range(kLetterOrDigit, rune) != nullptr;
}

bool is_print(Rune rune) {
  if (rune < 0x7F) return rune >= ' ';
  return find_range(kPrint, rune) != nullptr;
}

bool is_space(Rune rune) {
  if (rune < 0x80) return rune == ' ' || (rune >= '\t' && rune <= '\r');
  return rune == 0x85 || rune == 0xA0 || rune == 0x1680 || (rune >= 0x2000 && rune <= 0x200A) ||
         rune == 0x2028 || rune == 0x2029 || rune == 0x202F || rune == 0x205F || rune == 0x3000;
}

Rune to_upper(Rune rune) {
  if (rune < 0x80) return rune >= 'a' && rune <= 'z' ? rune - 'a' + 'A' : rune;
  const CaseRange* range = find_range(kCase, rune);
  if (range == nullptr) return rune;
  if (range->alternating) return range->first + ((rune - range->first) & ~1U);
  return shifted(rune, range->upper);
}

Rune to_lower(Rune rune) {
  if (rune < 0x80) return rune >= 'A' && rune <= 'Z' ? rune - 'A' + 'a' : rune;
  const CaseRange* range = find_range(kCase, rune);
  if (range == nullptr) return rune;
  if (range->alternating) return range->first + ((rune - range->first) | 1U);
  return shifted(rune, range->lower);
}

Rune to_title(Rune rune) {
  if (rune < 0x80) return to_upper(rune);
  const CaseRange* range = find_range(kCase, rune);
  if (range == nullptr) return rune;
  if (range->alternating) return range->first + ((rune - range->first) & ~1U);
  return shifted(rune, range->title);
}

}  // namespace waybill::gotemplate
