#pragma once

// Internal to api/web: what the build found in web/dist.

#include <string_view>
#include <vector>

namespace waybill::web {

struct EmbeddedFile {
  std::string_view path;   // in web/dist: "assets/index-Bx1.js"
  std::string_view bytes;  // of the program itself
};

std::vector<EmbeddedFile> embedded_files();  // none where the UI was not built

}  // namespace waybill::web
