#include "waybill/domain/catalog.h"

#include <absl/strings/ascii.h>

#include "waybill/domain/words.h"

namespace waybill::domain {
namespace {

constexpr Words<EntryStatus, 3> kStatuses = {{{EntryStatus::kActive, "ACTIVE"},
                                              {EntryStatus::kInactive, "INACTIVE"},
                                              {EntryStatus::kDeleted, "DELETED"}}};
constexpr Words<EntryOrigin, 3> kOrigins = {
    {{EntryOrigin::kConfig, "config"}, {EntryOrigin::kOverride, "override"}, {EntryOrigin::kApi, "api"}}};

}  // namespace

std::string_view to_string(EntryStatus status) { return word_of(kStatuses, status); }
std::string_view to_string(EntryOrigin origin) { return word_of(kOrigins, origin); }

std::optional<EntryStatus> parse_entry_status(std::string_view word) {
  const std::string upper = absl::AsciiStrToUpper(std::string(word));
  return value_of(kStatuses, upper);
}

}  // namespace waybill::domain
