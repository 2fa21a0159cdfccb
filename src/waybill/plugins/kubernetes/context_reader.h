#pragma once

#include <absl/status/statusor.h>

#include <boost/json/object.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "waybill/plugins/context_key.h"
#include "waybill/ports/executor.h"

namespace waybill::plugins {

// The contexts of a job, each level by itself: what a key means depends on who set it.
class ContextReader {
 public:
  explicit ContextReader(const ports::JobRequest& request) : request_(request) {}

  // InvalidArgument: the first declared key that has a wrong type, or a value that its check refuses.
  [[nodiscard]] absl::Status check(const ports::ExecutorTraits& traits) const;

  using Level = ports::ContextLevel;
  // nullptr: not there, or null.
  [[nodiscard]] const boost::json::value* find(Level level, std::string_view key) const;
  // A text of the cluster's, else of the command's; "" where neither has it.
  [[nodiscard]] std::string catalog_text(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> list(Level level, std::string_view key) const;
  // Strings, and numbers and truth values as texts. InvalidArgument names the member.
  [[nodiscard]] absl::StatusOr<std::map<std::string, std::string>> texts(Level level,
                                                                         std::string_view key) const;
  [[nodiscard]] bool flag(std::string_view key) const;  // of any level, the later one wins

 private:
  const ports::JobRequest& request_;
};

// The members of an object as texts; `where` names it in errors.
[[nodiscard]] absl::StatusOr<std::map<std::string, std::string>> texts_of(const boost::json::value& value,
                                                                          std::string_view where);

// Whether one of the patterns is the word; one with '*' at its end is its beginning.
[[nodiscard]] bool matches_any(std::string_view word, const std::vector<std::string>& patterns);

// ${name} replaced by its value; what no value has stays as it is.
[[nodiscard]] std::string with_values(std::string text, const std::map<std::string, std::string>& values);

// What all kinds of runs have (shared_keys.cc). `spec`, `labels` and `annotations`, laid over a manifest:
[[nodiscard]] absl::Status apply_metadata(const ContextReader& context, boost::json::object& object,
                                          boost::json::object& spec);
// The command's `arguments`, with ${name} replaced, and then the job's, as they are.
[[nodiscard]] std::vector<std::string> arguments_of(const ContextReader& context,
                                                    const std::map<std::string, std::string>& values);
[[nodiscard]] ports::ContextKey kubernetes_key();
[[nodiscard]] ports::ContextKey return_result_key();
[[nodiscard]] ports::ContextKey pending_error_key();

}  // namespace waybill::plugins
