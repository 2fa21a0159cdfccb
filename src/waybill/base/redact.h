#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace waybill {

// What is shown in place of a secret.
inline constexpr char kSecretMask[] = "***";

// Decides what is a secret, for every way out of the program. Immutable: shared by threads.
class Redactor {
 public:
  // A member whose key contains one of these words (any case, '-' and '_' alike) is a secret.
  explicit Redactor(std::vector<std::string> secret_keys = {"password", "token", "secret", "credential",
                                                            "private_key"});

  [[nodiscard]] bool is_secret_key(std::string_view key) const;

  // The same value with every secret member and every secret reference (base/secret.h) replaced by "***", at
  // any depth.
  [[nodiscard]] boost::json::value masked(const boost::json::value& value) const;
  [[nodiscard]] boost::json::object masked(const boost::json::object& object) const;

 private:
  std::vector<std::string> words_;
};

// A connection string or URL without its password: postgres://user:***@host/db, "host=h password=***".
[[nodiscard]] std::string masked_connection(std::string_view connection);

}  // namespace waybill
