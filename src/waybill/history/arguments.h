#pragma once

#include <absl/time/time.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "waybill/domain/record.h"

// What the words that a Spark job was started with say of its run.
namespace waybill::history {

// The value of `--name V` or `--name=V`; of doubled ones the last. nullopt: the flag is absent.
[[nodiscard]] std::optional<std::string> argument(const std::vector<std::string>& arguments,
                                                  std::string_view name);

// `--start`, `--end`; only where both are absent, `--ingestion-timespan N`: N whole days up to the end of the
// UTC day of `started`, as the driver computes it.
[[nodiscard]] domain::DataWindow data_window(const std::vector<std::string>& arguments, absl::Time started);

// `name` of the JSON after `--feature-table`; "" if there is none.
[[nodiscard]] std::string feature_table_name(const std::vector<std::string>& arguments);

// Of a retrieval: `path` of the JSON after `--destination`; "" if there is none.
[[nodiscard]] std::string output_location(const std::vector<std::string>& arguments);

// Of a retrieval: "table:feature" for each feature of the tables in the JSON after `--feature-tables`.
[[nodiscard]] std::vector<std::string> feature_references(const std::vector<std::string>& arguments);

}  // namespace waybill::history
