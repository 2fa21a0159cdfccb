#pragma once

#include <absl/time/time.h>

#include <optional>
#include <string>
#include <string_view>

namespace waybill {

// The millisecond in which a uuid v7 was made; nullopt for any other text.
[[nodiscard]] std::optional<absl::Time> time_in_id(std::string_view id);
// What sorts before every uuid v7 of this millisecond and after all of those before it. A part of a
// millisecond counts as the next.
[[nodiscard]] std::string first_id_at(absl::Time time);

}  // namespace waybill
