#pragma once

// Who asks, and whether a browser was made to ask by another site. Internal to api/rest.

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "waybill/api/rest/http/message.h"
#include "waybill/api/rest/rest_server.h"
#include "waybill/domain/caller.h"

namespace waybill::rest {

// Immutable.
class Authenticator {
 public:
  // InvalidArgument naming the setting: a pattern or network that is none.
  static absl::StatusOr<std::shared_ptr<const Authenticator>> make(AuthOptions options);
  ~Authenticator();

  [[nodiscard]] const AuthOptions& options() const { return options_; }

  // The name that the header or the client certificate gives; "" : none. InvalidArgument: a name that can't
  // be one. In OIDC mode see oidc.h.
  [[nodiscard]] absl::StatusOr<std::string> name_of(const Request& request) const;
  // The bearer token of the request, "" : none.
  [[nodiscard]] static std::string_view bearer(const Request& request);

  // With what they may do and where they are.
  [[nodiscard]] domain::Caller caller(std::string name, const Request& request) const;

  // PermissionDenied for a changing call that a page of another origin made.
  [[nodiscard]] absl::Status same_origin(const Request& request) const;

  // Whether a connection from this address may speak for others.
  [[nodiscard]] bool trusts(const Request& request) const;

 private:
  struct Rules;
  Authenticator(AuthOptions options, std::unique_ptr<const Rules> rules);
  AuthOptions options_;
  std::unique_ptr<const Rules> rules_;
};

}  // namespace waybill::rest
