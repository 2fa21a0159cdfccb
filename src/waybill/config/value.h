#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace waybill::config {

// A text that must not be seen. Printing it prints "***".
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] const std::string& reveal() const { return text_; }
  [[nodiscard]] bool empty() const { return text_.empty(); }
  friend bool operator==(const Secret&, const Secret&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Secret&) { return out << "***"; }

 private:
  std::string text_;
};

// The value of one scalar setting; monostate: none was given.
using Value =
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Secret, std::vector<std::string>>;

}  // namespace waybill::config
