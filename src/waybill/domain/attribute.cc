#include "waybill/domain/attribute.h"

#include "waybill/domain/words.h"

namespace waybill::domain {
namespace {

constexpr Words<AttributeKind, 3> kKinds = {
    {{AttributeKind::kUnset, ""}, {AttributeKind::kText, "text"}, {AttributeKind::kLink, "link"}}};
constexpr Words<AttributeShow, 4> kShows = {{{AttributeShow::kAlways, "always"},
                                             {AttributeShow::kRunning, "running"},
                                             {AttributeShow::kFinished, "finished"},
                                             {AttributeShow::kFailed, "failed"}}};

}  // namespace

std::string_view to_string(AttributeKind kind) { return word_of(kKinds, kind); }
std::string_view to_string(AttributeShow show) { return word_of(kShows, show); }
std::optional<AttributeKind> parse_attribute_kind(std::string_view word) { return value_of(kKinds, word); }
std::optional<AttributeShow> parse_attribute_show(std::string_view word) { return value_of(kShows, word); }

}  // namespace waybill::domain
