#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "waybill/storage/session.h"

namespace waybill::storage {

// Takes the columns of a row one after the other.
class Columns {
 public:
  explicit Columns(const Row& row) : row_(row) {}
  const Value& value() { return row_[next_++]; }
  std::string text() { return as_text(value()); }
  std::int64_t number() { return as_int(value()); }
  int small() { return static_cast<int>(number()); }
  bool flag() { return number() != 0; }

 private:
  const Row& row_;
  std::size_t next_ = 0;
};

}  // namespace waybill::storage
