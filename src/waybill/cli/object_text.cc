#include "waybill/cli/object_text.h"

#include <algorithm>
#include <boost/json.hpp>

#include "waybill/base/json.h"
#include "waybill/base/raw_json.h"
#include "waybill/base/status.h"
#include "waybill/cli/fields.h"
#include "waybill/cli/session.h"
#include "waybill/cli/text.h"

namespace waybill::cli {
namespace json = boost::json;
namespace {

bool is_time_name(std::string_view name) {
  return name.ends_with("_at") || name == "at" || name.ends_with("_time");
}

std::string cell_text(const json::object& object, std::string_view name, const Session& session) {
  const json::value* value = find_member(object, name);
  if (value == nullptr || value->is_null()) return "";
  if (is_time_name(name)) {
    const std::optional<absl::Time> time = time_of(object, name);
    if (time) return session.shown_time(time);
  }
  const bool words =
      value->is_array() && std::none_of(value->get_array().begin(), value->get_array().end(),
                                        [](const json::value& item) { return item.is_structured(); });
  if (words) return list_of(object, name);
  return value->is_structured() ? json::serialize(*value) : text_of(object, name);
}

std::string title_of(std::string name) {
  for (char& c : name) c = c == '_' ? ' ' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

}  // namespace

std::string object_text(const json::object& object, const Session& session) {
  int width = 0;
  for (const auto& member : object) width = std::max(width, display_width(made_visible(member.key())));
  std::string text;
  for (const auto& member : object) {
    std::string label = made_visible(member.key());
    std::replace(label.begin(), label.end(), '_', ' ');
    const std::string value = member.key() == "status"
                                  ? session.coloured(text_of(object, "status"))
                                  : made_visible(cell_text(object, member.key(), session));
    if (value.empty()) continue;
    const int gap = width - display_width(label) + 2;
    text += label + ":" + std::string(static_cast<std::size_t>(gap), ' ') + value + "\n";
  }
  return text;
}

absl::Status print_object(Session& session, const Answer& answer) {
  const json::object* object = answer.value.if_object();
  if (object == nullptr) return unavailable("the server answered something that is no object");
  if (session.form() == OutputForm::kName) {
    return session.print(made_visible(text_of(*object, "id")) + "\n");
  }
  if (!session.is_table()) return session.print_json(answer.text);
  return session.print(object_text(*object, session));
}

absl::Status print_rows(Session& session, const Answer& answer, const std::vector<std::string>& members) {
  const json::array* rows = rows_of(answer.value);
  if (rows == nullptr) return unavailable("the server answered something that is no list");
  if (session.form() == OutputForm::kJsonl) {
    const std::string_view data = answer.value.is_array() ? answer.text : raw_member(answer.text, "data");
    for (const std::string_view row : raw_elements(data)) {
      WB_TRY(session.print_json(row));
    }
    return absl::OkStatus();
  }
  if (session.form() != OutputForm::kName && !session.is_table()) return session.print_json(answer.text);
  std::vector<TableColumn> columns;
  for (const std::string& name : members) {
    columns.push_back({.title = title_of(name),
                       .shrink = is_time_name(name) ? Shrink::kNever : Shrink::kMayBeCut,
                       .is_status = name == "status" || name == "to"});
  }
  std::vector<std::vector<std::string>> cells;
  for (const json::value& row : *rows) {
    if (!row.is_object()) continue;
    std::vector<std::string>& line = cells.emplace_back();
    for (const std::string& name : members) line.push_back(cell_text(row.get_object(), name, session));
  }
  if (session.form() == OutputForm::kName) {
    std::string names;
    for (const auto& line : cells) names += made_visible(line.front()) + "\n";
    return session.print(names);
  }
  return session.print(table_text(columns, cells, session.table_style()));
}

}  // namespace waybill::cli
