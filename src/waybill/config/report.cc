#include "waybill/config/report.h"

#include <absl/strings/str_join.h>
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "waybill/config/yaml_position.h"

namespace waybill::config {
namespace {

constexpr std::size_t kMaxMistakes = 1000;
constexpr std::size_t kMaxCollected = 10'000;  // of a hostile file: before they are put in order
constexpr std::size_t kMaxQuoted = 60;
constexpr std::size_t kMaxListed = 24;

std::vector<Mistake> in_order(std::vector<Mistake> all) {
  const auto place = [](const Mistake& m) { return std::tie(m.line, m.col, m.path, m.text); };
  std::sort(all.begin(), all.end(), [&](const Mistake& a, const Mistake& b) { return place(a) < place(b); });
  all.erase(std::unique(all.begin(), all.end(),
                        [&](const Mistake& a, const Mistake& b) { return place(a) == place(b); }),
            all.end());
  if (all.size() > kMaxMistakes) all.resize(kMaxMistakes);
  return all;
}

// Levenshtein's distance, or anything above `limit` where it is larger.
std::size_t distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (a.size() > b.size() + limit || b.size() > a.size() + limit) return limit + 1;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

void Report::mistake(const YamlNode& at, std::string path, std::string text) {
  mistake_at(at.line, at.col, std::move(path), std::move(text));
}

void Report::warning(const YamlNode& at, std::string path, std::string text) {
  if (warnings_.size() >= kMaxCollected) return;
  warnings_.push_back({file_, at.line, at.col, std::move(path), std::move(text)});
}

void Report::mistake_in(const YamlNode& scalar, std::size_t offset, std::string path, std::string text) {
  const auto [line, col] = place_in_scalar(source_, scalar, offset);
  mistake_at(line, col, std::move(path), std::move(text));
}

void Report::warning_in(const YamlNode& scalar, std::size_t offset, std::string path, std::string text) {
  if (warnings_.size() >= kMaxCollected) return;
  const auto [line, col] = place_in_scalar(source_, scalar, offset);
  warnings_.push_back({file_, line, col, std::move(path), std::move(text)});
}

void Report::mistake_at(int line, int col, std::string path, std::string text) {
  if (mistakes_.size() >= kMaxCollected) return;
  mistakes_.push_back({file_, line, col, std::move(path), std::move(text)});
}

std::vector<Mistake> Report::take_mistakes() { return in_order(std::move(mistakes_)); }
std::vector<Mistake> Report::take_warnings() { return in_order(std::move(warnings_)); }

std::string format_mistake(const Mistake& mistake) {
  std::string out = mistake.file;
  if (mistake.line > 0) out += fmt::format("{}{}:{}", out.empty() ? "" : ":", mistake.line, mistake.col);
  for (const std::string& part : {mistake.path, mistake.text}) {
    if (!part.empty()) out += (out.empty() ? "" : ": ") + part;
  }
  return out;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  std::size_t taken = 0;
  for (const char c : text) {
    // Not in the middle of a character of several bytes.
    if (taken >= kMaxQuoted && (static_cast<unsigned char>(c) & 0xc0) != 0x80) {
      out += "…";
      break;
    }
    ++taken;
    if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else if (c == '"') {
      out += "\\\"";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
  if (name.size() <= 64) {
    const std::size_t limit = name.size() < 4 ? 1 : 2;
    const std::string* best = nullptr;
    std::size_t nearest = limit + 1;
    for (const std::string& word : known) {
      const std::size_t far = distance(name, word, limit);
      if (far < nearest) {
        nearest = far;
        best = &word;
      }
    }
    if (best != nullptr) return "did you mean " + quoted(*best) + "?";
  }
  if (known.empty()) return "there is none";
  std::vector<std::string> some(
      known.begin(), known.begin() + static_cast<std::ptrdiff_t>(std::min(known.size(), kMaxListed)));
  return "known: " + absl::StrJoin(some, ", ") + (known.size() > some.size() ? ", …" : "");
}

}  // namespace waybill::config
