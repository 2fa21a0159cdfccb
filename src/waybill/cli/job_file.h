#pragma once

#include <absl/status/statusor.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>

#include "waybill/cli/command.h"
#include "waybill/cli/environment.h"

namespace waybill::cli {

// A file's text; "-" is standard input. At most 16 MiB.
[[nodiscard]] absl::StatusOr<std::string> read_file(const std::string& path, Environment& environment);

// One document of YAML (of which JSON is a part). Plain scalars are typed as YAML 1.2 does: null, true,
// false, integers, floats, everything else a string. Anchors are resolved up to 100,000 values in all.
[[nodiscard]] absl::StatusOr<boost::json::value> parse_yaml(const std::string& text, const std::string& name);

// The context of `--context` flags, in their order: "key=text", "key:=JSON" or "@file.json" (an object); "-"
// as the file is standard input.
[[nodiscard]] absl::Status add_context(const std::vector<std::string>& flags, Environment& environment,
                                       boost::json::object& context);

// The body of POST /job: the members of the file (-f), then what the flags say.
[[nodiscard]] absl::StatusOr<boost::json::object> submit_body(const Invocation& invocation,
                                                              Environment& environment);

}  // namespace waybill::cli
