#pragma once

#include <absl/status/statusor.h>

#include <boost/json/value.hpp>
#include <string>
#include <utility>
#include <vector>

#include "waybill/cli/environment.h"
#include "waybill/cli/http.h"

namespace waybill::cli {

using Query = std::vector<std::pair<std::string, std::string>>;

// "?a=1&b=x%20y", or "" without parameters.
[[nodiscard]] std::string query_text(const Query& query);

struct Answer {
  int status = 0;
  std::string text;  // as the server sent it: valid JSON
  boost::json::value value;
};

// Which calls are sent again, with growing pauses: GETs and submits (their Idempotency-Key makes that safe)
// after a lost connection, a timeout of a GET, or 503. A refused connection is tried again only if the server
// had been there before: a wrong URL is told at once, a restart is survived.
enum class Repeat { kNever, kGet, kSubmit };

// The REST API. Its errors carry the server's sentence, its machine word and a hint; their code decides the
// exit code (401 and 403: Unauthenticated and PermissionDenied, 404: NotFound, 422 "no_route" …).
class Api {
 public:
  Api(Settings settings, const Environment& environment);

  // `path` under /api/v1, encoded: "/jobs?limit=5".
  [[nodiscard]] absl::StatusOr<Answer> get(const std::string& path) const;
  [[nodiscard]] absl::StatusOr<Answer> post(const std::string& path, const std::string& body) const;
  // A submit may take as long as a sync job runs, so it has no time limit.
  [[nodiscard]] absl::StatusOr<Answer> submit(const std::string& path, const std::string& body,
                                              const std::string& idempotency_key) const;
  // GET whose body is no JSON (logs), as a stream; a reply of 400 or more is an error.
  [[nodiscard]] absl::StatusOr<HttpStream> open(const std::string& path, const std::string& accept) const;

  // The answer whatever its status is (health answers 503 with a body that counts).
  [[nodiscard]] absl::StatusOr<Answer> get_any(const std::string& path) const;

  [[nodiscard]] const Settings& settings() const { return http_.settings(); }

 private:
  [[nodiscard]] absl::StatusOr<HttpReply> send(const HttpRequest& request, Repeat repeat) const;

  Http http_;
  const Environment& environment_;
  mutable bool was_there_ = false;  // the server answered something before
};

// The error that a reply of 400 or more speaks of.
[[nodiscard]] absl::Status failure_of(const HttpReply& reply);

}  // namespace waybill::cli
