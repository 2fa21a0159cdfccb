#include "waybill/cli/pages.h"

#include <algorithm>
#include <boost/json.hpp>
#include <set>

#include "waybill/base/raw_json.h"
#include "waybill/base/status.h"
#include "waybill/cli/fields.h"

namespace waybill::cli {
namespace json = boost::json;
namespace {

constexpr std::size_t kPage = 101;  // the API's cap

}  // namespace

absl::StatusOr<PagesEnd> read_pages(const Api& api, const std::string& path, Query query, std::size_t limit,
                                    const std::function<absl::Status(const std::vector<Row>&)>& take) {
  std::set<std::string> seen;
  const auto count_at = query.insert(query.end(), {"limit", ""}) - query.begin();
  const auto cursor_at =
      std::find_if(query.begin(), query.end(), [](const auto& p) { return p.first == "cursor"; });
  std::ptrdiff_t cursor_index = cursor_at - query.begin();
  while (true) {
    query[static_cast<std::size_t>(count_at)].second = std::to_string(std::min(limit, kPage));
    WB_ASSIGN(const Answer answer, api.get(path + query_text(query)));
    const json::array* data = rows_of(answer.value);
    if (data == nullptr) return unavailable("the server answered something that is no list");
    const bool bare = answer.value.is_array();
    const auto texts = raw_elements(bare ? std::string_view(answer.text) : raw_member(answer.text, "data"));
    std::vector<Row> rows;
    const std::size_t count = std::min({data->size(), texts.size(), limit});
    for (std::size_t i = 0; i < count; ++i) {
      if (!(*data)[i].is_object())
        return unavailable("the server answered a list of something that is no object");
      rows.push_back({(*data)[i].get_object(), texts[i]});
    }
    WB_TRY(take(rows));
    limit -= count;
    PagesEnd end{.next_cursor = bare ? "" : text_of(answer.value.get_object(), "next_cursor")};
    end.more = !end.next_cursor.empty() || data->size() > count;
    if (limit == 0 || end.next_cursor.empty()) return end;
    if (!seen.insert(end.next_cursor).second)
      return unavailable("the server sends the same page again and again");
    if (cursor_index == static_cast<std::ptrdiff_t>(query.size())) query.emplace_back("cursor", "");
    query[static_cast<std::size_t>(cursor_index)].second = end.next_cursor;
  }
}

}  // namespace waybill::cli
