#include "waybill/api/rest/ui.h"

#include <utility>

namespace waybill::rest {
namespace {

constexpr char kPolicy[] =
    "default-src 'self'; script-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

Reply redirect() {
  Reply reply;
  reply.status = 302;
  reply.content_type.clear();
  reply.headers.add("Location", "/ui/");
  return reply;
}

std::string joined(const std::vector<std::string>& segments) {
  std::string path;
  for (std::size_t i = 1; i < segments.size(); ++i) {
    if (i > 1) path += '/';
    path += segments[i];
  }
  return path;
}

bool looks_like_a_file(std::string_view path) {
  return path.substr(path.rfind('/') + 1).find('.') != std::string_view::npos;
}

}  // namespace

std::optional<Reply> ui_reply(const Api& api, const Request& request,
                              const std::vector<std::string>& segments) {
  if (request.method != Method::kGet && request.method != Method::kHead) return std::nullopt;
  if (segments.empty()) return redirect();
  if (segments[0] != "ui" || !api.options.ui) return std::nullopt;
  if (segments.size() == 1 && !request.target.starts_with("/ui/")) return redirect();
  const std::string path = joined(segments);
  auto file = api.options.ui(path.empty() ? "index.html" : path);
  // A page of the app has an address of its own (/ui/jobs/…) and is the same document.
  if (!file && !looks_like_a_file(path)) file = api.options.ui("index.html");
  if (!file) return std::nullopt;
  Reply reply;
  reply.fixed_body = file->bytes;
  reply.content_type = file->content_type;
  reply.headers.add("Cache-Control", file->immutable ? "public, max-age=31536000, immutable" : "no-cache");
  reply.headers.add("Content-Security-Policy", kPolicy);
  reply.headers.add("Referrer-Policy", "no-referrer");
  reply.headers.add("X-Frame-Options", "DENY");
  return reply;
}

}  // namespace waybill::rest
