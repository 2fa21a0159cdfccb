#pragma once

// What every resource of the API is given. Internal to api/rest.

#include <boost/json/value.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "waybill/api/rest/http/message.h"
#include "waybill/api/rest/query.h"
#include "waybill/domain/caller.h"

namespace waybill::rest {

// One call: the request, taken apart and checked as far as its route says.
struct Call {
  std::shared_ptr<Request> request;
  Query query;
  std::vector<std::string> params;  // what stood for "{}" in the route's path
  boost::json::value body;  // of calls with JSON: an object ("{}" where nothing was sent), numbers exact
  domain::Caller caller;    // name "" : unknown
};
using CallPtr = std::shared_ptr<const Call>;

}  // namespace waybill::rest
