#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "waybill/template/vector_data.h"

// Checks this template engine against answers of Go's text/template, one JSON object a line.
namespace waybill::gotemplate {

// What became of one vector.
struct VectorOutcome {
  std::string failure;            // empty: passed
  bool has_message = false;       // Go's error message could be compared with ours,
  bool message_is_equal = false;  // and was the same
  std::string message;            // ours, if both could be compared
};

// A line of vectors: name, template, data, want or error {phase, message, line, col}, perhaps load and loose.
[[nodiscard]] VectorOutcome run_vector(std::string_view line);

// Whether a template failed because it is refused when it is loaded, though Go runs it (what names a
// namespace or a field that does not exist, or has complex numbers) or fails only later, perhaps for another
// reason (an undeclared variable, an undefined template): on purpose, so no difference where vectors aren't
// marked.
[[nodiscard]] bool is_refused_at_load(const VectorOutcome& outcome);

// Runs all lines of `vectors`. Writes a line for each failure, then "messages equal: N of M", then
// "N passed, N failed". 0 if none failed, otherwise 1.
int run_vectors(std::istream& vectors, std::ostream& out);

}  // namespace waybill::gotemplate
