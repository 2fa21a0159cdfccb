#pragma once

#include "waybill/ports/wakeup.h"

namespace waybill::engine {

using ports::Once;
using ports::Wakeup;

}  // namespace waybill::engine
