#pragma once

#include <boost/json/fwd.hpp>

#include "waybill/base/redact.h"

namespace waybill::history {

// What is kept of an object as the manifest of its run (R16): apiVersion, kind, spec, and of metadata what
// somebody wrote; no status and no versions, so that it changes only with the run. With a redactor, the
// values of environment variables and all that looks like a secret are "***".
[[nodiscard]] boost::json::object manifest_of(const boost::json::value& object, const Redactor* mask);

}  // namespace waybill::history
