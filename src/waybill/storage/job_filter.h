#pragma once

#include <optional>
#include <string>
#include <vector>

#include "waybill/ports/job_store.h"
#include "waybill/storage/like_pattern.h"
#include "waybill/storage/session.h"

namespace waybill::storage {

// A filter as conditions on columns, system tags resolved.
struct TextFilter {
  std::string column;
  LikePattern like;
};
struct RangeFilter {
  std::string column;
  std::string part;  // the fragment that compares
  Value value;
};
struct FilterPlan {
  std::vector<TextFilter> texts;  // kAny left out
  std::vector<std::string> tags;  // own ones
  std::vector<std::int64_t> statuses;
  std::vector<RangeFilter> ranges;  // on id (for created_at), finished_at and duration_us
  std::vector<std::string> words;   // lower case
};
[[nodiscard]] FilterPlan plan_filter(const ports::JobFilter& filter);
// Whether it asks for texts that no row can have; PostgreSQL would refuse them.
[[nodiscard]] bool is_impossible(const FilterPlan& plan);

// The column that an order sorts by, before the id. Ids are in the order of created_at.
[[nodiscard]] const char* column_of(ports::JobOrder order);

}  // namespace waybill::storage
