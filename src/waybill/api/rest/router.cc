#include "waybill/api/rest/router.h"

#include <algorithm>
#include <utility>

namespace waybill::rest {
namespace {

constexpr std::string_view kAny = "{}";

std::size_t wildcards(const std::vector<std::string>& segments) {
  return static_cast<std::size_t>(std::count(segments.begin(), segments.end(), kAny));
}

bool matches(const std::vector<std::string>& pattern, const std::vector<std::string>& segments) {
  return std::equal(pattern.begin(), pattern.end(), segments.begin(), segments.end(),
                    [](const std::string& want, const std::string& got) {
                      return want == kAny ? !got.empty() : want == got;
                    });
}

}  // namespace

void Router::add(Route route) {
  routes_.push_back(std::make_unique<Route>(std::move(route)));
  Pattern pattern;
  pattern.route = routes_.back().get();
  std::string_view path = pattern.route->path;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const std::string_view segment = path.substr(0, path.find('/'));
    pattern.segments.emplace_back(segment.front() == '{' ? kAny : segment);
    path.remove_prefix(segment.size());
  }
  auto& list = by_first_[pattern.segments.front()];
  const auto place = std::find_if(list.begin(), list.end(), [&](const Pattern& other) {
    return wildcards(other.segments) > wildcards(pattern.segments);
  });
  list.insert(place, std::move(pattern));
}

Router::Found Router::find(Method method, const std::vector<std::string>& segments) const {
  Found found;
  if (segments.empty()) return found;
  const auto list = by_first_.find(segments.front());
  if (list == by_first_.end()) return found;
  const Method wanted = method == Method::kHead ? Method::kGet : method;
  for (const Pattern& pattern : list->second) {
    if (!matches(pattern.segments, segments)) continue;
    if (pattern.route->method == wanted) {
      for (std::size_t i = 0; i < segments.size(); ++i) {
        if (pattern.segments[i] == kAny) found.params.push_back(segments[i]);
      }
      found.route = pattern.route;
      return found;
    }
    if (!found.allow.empty()) found.allow += ", ";
    found.allow += to_string(pattern.route->method);
    if (pattern.route->method == Method::kGet) found.allow += ", HEAD";
  }
  if (!found.allow.empty()) found.allow += ", OPTIONS";
  return found;
}

}  // namespace waybill::rest
