#include "waybill/storage/session.h"

#include <fmt/format.h>

#include "waybill/base/status.h"

namespace waybill::storage {

absl::StatusOr<Rows> run_one(Session& session, Call call) {
  WB_ASSIGN(std::vector<Rows> answers, session.run(std::span<const Call>(&call, 1)));
  return std::move(answers.front());
}

std::int64_t as_int(const Value& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  return number == nullptr ? 0 : *number;
}

const std::string& as_text(const Value& value) {
  static const auto& none = *new std::string();
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? none : *text;
}

bool is_null(const Value& value) { return std::holds_alternative<std::monostate>(value); }

absl::StatusOr<std::vector<const Value*>> in_order(std::span<const std::string> names, const Params& params) {
  std::vector<const Value*> values;
  values.reserve(names.size());
  std::size_t hint = 0;  // callers list parameters much as the query does
  for (const std::string& name : names) {
    std::size_t tries = 0;
    while (tries < params.size() && params[hint % params.size()].name != name) {
      ++hint;
      ++tries;
    }
    if (tries == params.size()) {
      return error(absl::StatusCode::kInternal, "internal",
                   fmt::format("the query's parameter \"{}\" has no value: the caller must give one", name));
    }
    const Value& value = params[hint % params.size()].value;
    ++hint;
    if (const auto* text = std::get_if<std::string>(&value);
        text != nullptr && text->find('\0') != text->npos) {
      return invalid(fmt::format("the text of \"{}\" has the character U+0000, which can't be stored", name));
    }
    values.push_back(&value);
  }
  return values;
}

}  // namespace waybill::storage
