#pragma once

#include <boost/asio/awaitable.hpp>

namespace waybill {

// What every call that waits returns. Tasks run on an io_context's thread and never block it.
template <class T>
using Task = boost::asio::awaitable<T>;

}  // namespace waybill
