#pragma once

#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "waybill/base/ids.h"

namespace waybill::rest {

// Small results of jobs that are over, so that GET of a job that many look at needs no file. A result never
// changes. On the io thread only. Internal to api/rest.
class ResultCache {
 public:
  static constexpr std::size_t kMostBytes =
      65536;  // of one result; larger ones have an endpoint of their own

  // nullptr: not known. "" : known to be larger than kMostBytes.
  [[nodiscard]] std::shared_ptr<const std::string> find(const JobId& id);
  std::shared_ptr<const std::string> keep(const JobId& id, std::string text);

 private:
  static constexpr std::size_t kAllBytes = 8U << 20U;

  using Item = std::pair<JobId, std::shared_ptr<const std::string>>;
  std::list<Item> items_;  // the last used first
  std::unordered_map<JobId, std::list<Item>::iterator> by_id_;
  std::size_t bytes_ = 0;
};

}  // namespace waybill::rest
