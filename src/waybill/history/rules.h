#pragma once

#include <absl/time/time.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "waybill/domain/record.h"
#include "waybill/history/application.h"

// From what is seen of a SparkApplication to the records of its runs, as pure functions: what was known and
// what is seen now give what is known then. docs/history.md has the rules in words; the names R1 … R19 are
// theirs.
namespace waybill::history {

using domain::KnownObject;

enum class Seen { kPresent, kDeleted };

// Whether an event may be looked at again: an older one never, an equal one only if it tells of the deletion
// (R4).
[[nodiscard]] bool is_news(const KnownObject& known, const Application& app, Seen seen);

// The object after an event, received at `now` by our clock (R5 to R11, R13, R15). `known` is nullopt for the
// first one. New runs come without an id: whoever stores them allots one from `record_id` (R1).
[[nodiscard]] KnownObject after_event(std::optional<KnownObject> known, const Application& app, Seen seen,
                                      absl::Time now, const std::string& cluster);

// The object after another one of the same namespace and name was seen (Replaced, R3), or after it was
// missing from a complete list of its scope (Lost, R12).
[[nodiscard]] KnownObject after_replacement(KnownObject known, absl::Time now);
[[nodiscard]] KnownObject after_loss(KnownObject known, absl::Time now);

// A change that the operator has not taken for so long says so.
inline constexpr absl::Duration kNotAcceptedAfter = absl::Minutes(10);

// Gives a run that has waited for ten minutes for the operator to take a change its reason (R6). True if it
// changed.
bool note_waiting(KnownObject& known, absl::Time now);

// The record id that a run of this object asks for: R1.
[[nodiscard]] std::string wanted_record_id(const Application& app);

}  // namespace waybill::history
