#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <optional>
#include <string>

#include "waybill/base/task.h"
#include "waybill/kube/api.h"
#include "waybill/kube/object.h"

namespace waybill::kube {

// A complete consistent list, page by page, of which only one object at a time is in memory:
//
//   ListReader reader(api, listing);
//   while (true) {
//     auto item = co_await reader.next();
//     WB_CO_TRY(item);
//     if (!*item) break;              // all pages were read: reader.resource_version() is the list's
//     …
//   }
//
// Any error leaves the list incomplete, and nothing may be concluded from what is missing in it. OutOfRange:
// it took so long that the server forgot the version: begin anew. After other errors next() may be called
// again: it asks for the page that failed once more, and its items may come again.
class ListReader {
 public:
  struct Options {
    std::size_t object_limit = std::size_t{16} << 20U;
    std::string resource_version = {};  // "" : the newest; "0": what the server has at hand
    absl::Duration silence = absl::Seconds(60);
  };
  ListReader(Api& api, Listing listing);
  ListReader(Api& api, Listing listing, Options options);
  ~ListReader();
  ListReader(const ListReader&) = delete;
  ListReader& operator=(const ListReader&) = delete;

  // The next object, whole or put aside (Received); nullopt at the end of the last page.
  Task<absl::StatusOr<std::optional<Received>>> next();
  [[nodiscard]] const std::string& resource_version() const;
  void cancel();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace waybill::kube
