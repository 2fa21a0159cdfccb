#pragma once

#include <string>

#include "waybill/config/schema.h"

namespace waybill::config {

// Whether a text has the form. An empty one has every form whose setting may be switched off by it.
[[nodiscard]] bool has_form(Form form, const std::string& text);

// Whether an address is one that only this machine reaches: loopback or a Unix socket.
[[nodiscard]] bool is_local_address(const std::string& address);

// What is wrong with an RE2 pattern; "" : nothing.
[[nodiscard]] std::string pattern_fault(const std::string& pattern);

}  // namespace waybill::config
