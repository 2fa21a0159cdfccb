#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::plugins {

inline constexpr std::size_t kOutputValueBytes = 65536;
inline constexpr std::size_t kOutputFileBytes = 4194304;  // what is read of it
inline constexpr std::size_t kOutputKeys = 1000;

struct ParsedOutputs {
  std::map<std::string, std::string> values;  // the last of doubled keys wins
  std::vector<std::string> notes;             // what was ignored, and why: "line 3: …"; at most 20
};

// What a job wrote to $WAYBILL_OUTPUT: lines `key=value`, and `key<<MARK`, lines, `MARK` for values of
// several lines. Keys are [A-Za-z_][A-Za-z0-9_.-]*, values UTF-8 of at most 64 KiB. Empty lines are none.
// `ended`: the job is over, so that a last line without its newline is whole; before that it waits. Pure.
[[nodiscard]] ParsedOutputs parse_outputs(std::string_view text, bool ended);

}  // namespace waybill::plugins
