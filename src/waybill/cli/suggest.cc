#include "waybill/cli/suggest.h"

#include <algorithm>
#include <numeric>

namespace waybill::cli {
namespace {

// Letters to insert, delete, replace or swap with their neighbour to make one of the other (optimal string
// alignment).
std::size_t distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> two_before(width);
  std::vector<std::size_t> before(width);
  std::vector<std::size_t> row(width);
  std::iota(before.begin(), before.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t k = 1; k <= b.size(); ++k) {
      const std::size_t replaced = before[k - 1] + (a[i - 1] == b[k - 1] ? 0 : 1);
      row[k] = std::min({before[k] + 1, row[k - 1] + 1, replaced});
      const bool swapped = i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1];
      if (swapped) row[k] = std::min(row[k], two_before[k - 2] + 1);
    }
    std::swap(two_before, before);
    std::swap(before, row);
  }
  return before[b.size()];
}

}  // namespace

std::string nearest(std::string_view typed, const std::vector<std::string>& words) {
  constexpr std::size_t kLongest = 64;
  if (typed.size() > kLongest) return "";
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const std::string& word : words) {
    const bool begins = typed.size() >= 2 && std::string_view(word).substr(0, typed.size()) == typed;
    const std::size_t away = begins ? 1 : distance(typed, word);
    if (away >= best_distance) continue;
    best = word;
    best_distance = away;
  }
  return best;
}

}  // namespace waybill::cli
