#pragma once

#include <string>
#include <vector>

namespace waybill::cli {

enum class Shrink { kNever, kMayBeCut };

struct TableColumn {
  std::string title;
  Shrink shrink = Shrink::kMayBeCut;
  bool is_status = false;  // coloured by its word
};

struct TableStyle {
  int columns = 0;  // of the terminal; 0: as wide as it needs
  bool headers = true;
  bool colour = false;
  std::vector<int> widths = {};  // of the columns, at least; for rows that are added to a table later
};

// A table of one line a row, columns two spaces apart, nothing behind the last one. Where it is wider than
// the terminal the widest columns that may be cut are cut, then the lines. Cells may hold anything: controls
// are made visible.
[[nodiscard]] std::string table_text(const std::vector<TableColumn>& columns,
                                     const std::vector<std::vector<std::string>>& rows,
                                     const TableStyle& style);

// The word in the colour of the status (green, red, yellow), if there is one.
[[nodiscard]] std::string coloured_status(const std::string& word);

}  // namespace waybill::cli
