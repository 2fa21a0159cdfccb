#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "waybill/config/load.h"
#include "waybill/config/yaml_tree.h"

namespace waybill::config {

// Collects what is wrong and what is odd, with places.
class Report {
 public:
  // Both are the file's: its name in mistakes, its text for places inside of scalars.
  Report(std::string file, std::string_view source) : file_(std::move(file)), source_(source) {}

  void mistake(const YamlNode& at, std::string path, std::string text);
  void warning(const YamlNode& at, std::string path, std::string text);
  // At byte `offset` of a scalar's value.
  void mistake_in(const YamlNode& scalar, std::size_t offset, std::string path, std::string text);
  void warning_in(const YamlNode& scalar, std::size_t offset, std::string path, std::string text);
  void mistake_at(int line, int col, std::string path, std::string text);

  [[nodiscard]] bool ok() const { return mistakes_.empty(); }
  // By place, at most 1,000.
  [[nodiscard]] std::vector<Mistake> take_mistakes();
  [[nodiscard]] std::vector<Mistake> take_warnings();

 private:
  std::string file_;
  std::string_view source_;
  std::vector<Mistake> mistakes_;
  std::vector<Mistake> warnings_;
};

// A text for a message: in quotes, control characters as escapes, cut after 60 bytes.
[[nodiscard]] std::string quoted(std::string_view text);

// `word "x"` of what is near `name` among `known`: `did you mean "x"?`, or else the list of all of them.
[[nodiscard]] std::string suggestion(std::string_view name, const std::vector<std::string>& known);

}  // namespace waybill::config
