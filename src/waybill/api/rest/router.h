#pragma once

// Which function answers which path. Internal to api/rest.

#include <absl/status/statusor.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "waybill/api/rest/call.h"
#include "waybill/api/rest/http/message.h"
#include "waybill/base/task.h"

namespace waybill::rest {

struct Api;
using ApiPtr = std::shared_ptr<Api>;

// What must be known before the function is called.
enum class Needs {
  kNothing,         // a read; the caller is told if known
  kCaller,          // 401 without one, before the function
  kBodyThenCaller,  // the function checks the body's members first and calls require_caller() itself
};
enum class Audit {
  kDenied,   // only a denial is a row of the audit log
  kChanges,  // each call is
};

struct Route {
  Method method = Method::kGet;
  std::string path;  // under the base, as in the documentation: "/job/{id}/status"
  Needs needs = Needs::kNothing;
  Audit audit = Audit::kDenied;
  std::function<Task<absl::StatusOr<Reply>>(ApiPtr, CallPtr)> function;
};

class Router {
 public:
  void add(Route route);

  struct Found {
    const Route* route = nullptr;     // nullptr: no such path, or not with this method
    std::vector<std::string> params;  // what stood for the names in braces
    std::string allow;                // methods that the path has; "" : no such path
  };
  // HEAD finds GET's. A literal segment wins over a name.
  [[nodiscard]] Found find(Method method, const std::vector<std::string>& segments) const;
  [[nodiscard]] const std::vector<std::unique_ptr<Route>>& routes() const { return routes_; }

 private:
  struct Pattern {
    std::vector<std::string> segments;  // "{}" : any
    const Route* route = nullptr;
  };
  std::vector<std::unique_ptr<Route>> routes_;
  std::unordered_map<std::string, std::vector<Pattern>> by_first_;  // literals first
};

}  // namespace waybill::rest
