#include "waybill/cli/route_text.h"

#include <boost/json.hpp>

#include "waybill/base/json.h"
#include "waybill/cli/fields.h"

namespace waybill::cli {
namespace json = boost::json;

std::string near_misses_text(const json::object& answer) {
  const json::value* misses = find_member(answer, "near_misses");
  if (misses == nullptr || !misses->is_array()) return "";
  std::string text;
  for (const json::value& miss : misses->get_array()) {
    if (!miss.is_object()) continue;
    const std::string command = text_of(miss.get_object(), "command");
    const std::string cluster = text_of(miss.get_object(), "cluster");
    const std::string missing = list_of(miss.get_object(), "missing");
    if (!text.empty()) text += "\n      ";
    text += command;
    if (!cluster.empty()) text += command.empty() ? "cluster " + cluster : " with cluster " + cluster;
    text += missing.empty() ? " nearly matches" : " lacks " + missing;
  }
  return text;
}

}  // namespace waybill::cli
