#include "waybill/base/environment.h"

#include <re2/re2.h>

#include <cstdlib>
#include <utility>

#include "waybill/base/status.h"

namespace waybill {

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  };
}

std::vector<EnvironmentReference> environment_references(std::string_view text) {
  static const RE2& form = *new RE2(R"(\$\{env:([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\})");
  std::vector<EnvironmentReference> found;
  std::size_t at = text.find("${env:");
  std::size_t close = 0;
  while (at != std::string_view::npos) {
    EnvironmentReference reference;
    reference.offset = at;
    // Looked for first, and only once: else each of many unclosed references would be read to the text's end.
    if (close <= at) close = text.find('}', at);
    const std::size_t end = close == std::string_view::npos ? at : close + 1;
    re2::StringPiece groups[4];
    if (form.Match(text.substr(at, end - at), 0, end - at, RE2::ANCHOR_BOTH, groups, 4)) {
      reference.length = groups[0].size();
      reference.name = std::string(groups[1]);
      if (groups[2].data() != nullptr) reference.fallback = std::string(groups[3]);
    } else {
      reference.length = 6;  // "${env:" alone: what follows it is not known
    }
    at = close == std::string_view::npos ? close : text.find("${env:", at + reference.length);
    found.push_back(std::move(reference));
  }
  return found;
}

absl::StatusOr<std::string> expand_environment(std::string_view text, const Environment& environment) {
  std::string out;
  std::size_t done = 0;
  for (const EnvironmentReference& reference : environment_references(text)) {
    out += text.substr(done, reference.offset - done);
    done = reference.offset + reference.length;
    if (reference.name.empty()) {
      return invalid("${env:… is not a reference: it must be ${env:NAME} or ${env:NAME:-default}");
    }
    std::optional<std::string> value = environment(reference.name);
    if (reference.fallback && (!value || value->empty())) value = reference.fallback;
    if (!value) {
      return invalid("the environment variable " + reference.name +
                     " is not set: set it, or write ${env:" + reference.name + ":-default}");
    }
    out += *value;
  }
  out += text.substr(done);
  return out;
}

}  // namespace waybill
