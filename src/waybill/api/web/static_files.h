#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "waybill/api/web/embedded_files.h"

namespace waybill::web {

struct StaticFile {
  std::string_view bytes;         // live as long as the program
  std::string_view content_type;  // likewise
  bool immutable = false;         // its name changes with its content
};

// The built web UI, by the path under /ui/. Immutable after construction, so safe on any thread.
class StaticFiles {
 public:
  // Files without an index.html are no UI: then index.html is a page that says how to build it.
  explicit StaticFiles(std::vector<EmbeddedFile> files = embedded_files());

  // The file of exactly that path ("index.html", "assets/index-Bx1.js"), or nullopt.
  [[nodiscard]] std::optional<StaticFile> find(std::string_view path) const;

 private:
  std::vector<EmbeddedFile> files_;
};

}  // namespace waybill::web
