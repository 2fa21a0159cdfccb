#include "waybill/cli/table.h"

#include <algorithm>
#include <numeric>

#include "waybill/cli/text.h"

namespace waybill::cli {
namespace {

constexpr int kGap = 2;
constexpr int kNarrowest = 8;  // what a cut column keeps

struct Cell {
  std::string text;
  int width = 0;
};

Cell cell_of(const std::string& text) {
  Cell cell{.text = made_visible(text), .width = 0};
  cell.width = display_width(cell.text);
  return cell;
}

int total(const std::vector<int>& widths) {
  return std::accumulate(widths.begin(), widths.end(), 0) + kGap * (static_cast<int>(widths.size()) - 1);
}

void fit(std::vector<int>& widths, const std::vector<TableColumn>& columns, int available) {
  while (total(widths) > available) {
    int* widest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool may = columns[i].shrink == Shrink::kMayBeCut && widths[i] > kNarrowest;
      if (may && (widest == nullptr || widths[i] > *widest)) widest = &widths[i];
    }
    if (widest == nullptr) return;
    --*widest;
  }
}

std::string line_text(const std::vector<Cell>& cells, const std::vector<TableColumn>& columns,
                      const std::vector<int>& widths, const TableStyle& style, bool is_title) {
  std::string line;
  int used = 0;
  std::size_t last = cells.size();
  while (last > 0 && cells[last - 1].text.empty()) --last;
  for (std::size_t i = 0; i < last; ++i) {
    const int start = i == 0 ? 0 : used + kGap;
    int room = widths[i];
    if (style.columns > 0) room = std::min(room, style.columns - start);
    if (room <= 0) break;
    if (i > 0) line += std::string(kGap, ' ');
    const std::string shown = cells[i].width > room ? cut_to(cells[i].text, room) : cells[i].text;
    const int shown_width = cells[i].width > room ? display_width(shown) : cells[i].width;
    line += style.colour && columns[i].is_status && !is_title ? coloured_status(shown) : shown;
    if (i + 1 < last) line += std::string(static_cast<std::size_t>(room - shown_width), ' ');
    used = start + room;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string coloured_status(const std::string& word) {
  const auto in = [&](std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  const char* colour = "";
  if (in({"SUCCEEDED", "ACTIVE", "DONE", "ok", "healthy"})) colour = "\x1b[32m";
  if (in({"FAILED", "KILLED", "DELETED", "ERROR", "error", "unhealthy"})) colour = "\x1b[31m";
  if (in({"CANCELED", "CANCELING", "INACTIVE", "unchecked"})) colour = "\x1b[33m";
  if (in({"RUNNING", "ACCEPTED", "IN_PROGRESS"})) colour = "\x1b[36m";
  return *colour == '\0' ? word : colour + word + "\x1b[0m";
}

std::string table_text(const std::vector<TableColumn>& columns,
                       const std::vector<std::vector<std::string>>& rows, const TableStyle& style) {
  std::vector<int> widths = style.widths;
  widths.resize(columns.size(), 0);
  std::vector<Cell> titles;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    titles.push_back(cell_of(columns[i].title));
    if (style.headers) widths[i] = std::max(widths[i], titles[i].width);
  }
  std::vector<std::vector<Cell>> cells;
  for (const std::vector<std::string>& row : rows) {
    std::vector<Cell>& line = cells.emplace_back();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      line.push_back(cell_of(i < row.size() ? row[i] : std::string()));
      widths[i] = std::max(widths[i], line[i].width);
    }
  }
  if (style.columns > 0) fit(widths, columns, style.columns);
  std::string text = style.headers ? line_text(titles, columns, widths, style, true) : "";
  for (const std::vector<Cell>& line : cells) text += line_text(line, columns, widths, style, false);
  return text;
}

}  // namespace waybill::cli
