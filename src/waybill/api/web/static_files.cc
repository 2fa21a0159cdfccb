#include "waybill/api/web/static_files.h"

#include <algorithm>
#include <utility>

namespace waybill::web {
namespace {

constexpr std::string_view kIndex = "index.html";
constexpr std::string_view kNotBuilt =
    "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Waybill</title>\n"
    "<h1>The web UI was not built</h1>\n"
    "<p>This program was compiled without it. <code>./x build</code> builds and embeds it. "
    "The API is there: <a href=\"/api/v1/jobs\">/api/v1/jobs</a>, <a "
    "href=\"/openapi.json\">/openapi.json</a>.\n"
    "</html>\n";

struct ContentType {
  std::string_view ending;
  std::string_view type;
};

constexpr ContentType kContentTypes[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".json", "application/json"},
    {".png", "image/png"},
    {".woff2", "font/woff2"},
};

std::string_view content_type_of(std::string_view path) {
  for (const ContentType& known : kContentTypes) {
    if (path.ends_with(known.ending)) return known.type;
  }
  return "application/octet-stream";
}

}  // namespace

StaticFiles::StaticFiles(std::vector<EmbeddedFile> files) : files_(std::move(files)) {
  const bool built =
      std::any_of(files_.begin(), files_.end(), [](const EmbeddedFile& file) { return file.path == kIndex; });
  if (!built) files_ = {{kIndex, kNotBuilt}};
}

std::optional<StaticFile> StaticFiles::find(std::string_view path) const {
  const auto found =
      std::find_if(files_.begin(), files_.end(), [&](const EmbeddedFile& file) { return file.path == path; });
  if (found == files_.end()) return std::nullopt;
  // Vite puts a digest into the name of everything below assets/.
  return StaticFile{found->bytes, content_type_of(found->path), found->path.starts_with("assets/")};
}

}  // namespace waybill::web
