#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "waybill/ports/record_reader.h"
#include "waybill/storage/queries.h"

namespace waybill::storage {

// Conditions on records as SQL, composed of fragments, with the values that they are bound to.
class RecordConditions {
 public:
  explicit RecordConditions(const Queries& queries) : queries_(queries) {}

  using Condition = std::string;
  [[nodiscard]] Condition equal(const char* column, const std::string& value);
  [[nodiscard]] Condition unlike(const char* column, const std::string& value);
  [[nodiscard]] Condition given(const char* column) const;  // not ""; an index of such rows alone needs it
  [[nodiscard]] Condition one_of(const char* column, const std::vector<std::int64_t>& numbers) const;
  [[nodiscard]] Condition named(const char* column, const std::vector<std::string>& words);
  [[nodiscard]] Condition either(const Condition& one, const Condition& other) const {
    return part("part_list_either", {{"one", one}, {"other", other}});
  }
  // fragment: {value} is bound to the time.
  [[nodiscard]] Condition time(const char* fragment, absl::Time time, const char* column = "");
  [[nodiscard]] Condition plain(const char* fragment) const { return part(fragment, {}); }

  [[nodiscard]] std::string part(const std::string& name,
                                 const std::unordered_map<std::string, std::string>& fills) const {
    return queries_.fill("{" + name + "}", fills);
  }
  void add(const char* name, Value value) { params_.push_back({name, std::move(value)}); }
  [[nodiscard]] const Params& params() const { return params_; }

 private:
  std::string bind(Value value);

  const Queries& queries_;
  Params params_;
  std::vector<std::unique_ptr<std::string>> names_;  // Params refer to them
};

// What finds the rows of a filter. Each stream is an index read in its order; a row is in one of them.
struct RecordPlan {
  std::vector<std::vector<std::string>> streams;  // conditions that must all hold
  std::vector<std::string> bounds;                // on the start, for all of them
  std::vector<std::string> rest;                  // what no index covers
};
[[nodiscard]] RecordPlan plan_records(const ports::RecordFilter& filter, RecordConditions& conditions);

}  // namespace waybill::storage
