#pragma once

#include <memory>
#include <string>

#include "waybill/base/log.h"
#include "waybill/storage/change_feed.h"
#include "waybill/storage/queries.h"

namespace waybill::storage {

// Brings notices from and to the other instances with LISTEN and NOTIFY, on a connection and a thread of its
// own, so that no commit waits for it. After a lost connection everything is told once, as some may have been
// missed.
class NoticeLine {
 public:
  // `feed` gets what others send; it, `queries` and `log` outlive this.
  NoticeLine(std::string connection, LocalFeed& feed, const Queries& queries, Log& log);
  ~NoticeLine();
  NoticeLine(const NoticeLine&) = delete;
  NoticeLine& operator=(const NoticeLine&) = delete;

  void send(const std::vector<ports::ChangeNotice>& notices);  // any thread; merged

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace waybill::storage
