#include "waybill/template/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace waybill::gotemplate {
namespace {

// How much text an execution may build on the way to its output, in outputs, and how many bytes it may look
// at for each step it is allowed.
constexpr std::size_t kIntermediate = 64;
constexpr std::size_t kBytesPerStep = 1024;

std::size_t product(std::size_t a, std::size_t b) {
  return a > std::numeric_limits<std::size_t>::max() / b ? std::numeric_limits<std::size_t>::max() : a * b;
}

}  // namespace

void Sink::overflow() const { throw Exhausted{fmt::format("a text grows longer than {} bytes", limit_)}; }

Workspace::Workspace(const Limits& limits)
    : memory_left_(product(limits.output_bytes, kIntermediate)),
      work_left_(product(limits.steps, kBytesPerStep)) {}

Sink Workspace::start() {
  scratch_.clear();
  return {scratch_, memory_left_};
}

std::string_view Workspace::take() { return keep(scratch_); }

std::string_view Workspace::keep(std::string_view text) {
  if (text.empty()) return {"", 0};
  char* copy = room<char>(text.size());
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

void Workspace::charge(std::size_t bytes) {
  if (bytes > work_left_) throw Exhausted{"the template looks at too much data"};
  work_left_ -= bytes;
}

void Workspace::charge_memory(std::size_t bytes) {
  if (bytes > memory_left_) throw Exhausted{"the template builds too much text"};
  memory_left_ -= bytes;
}

}  // namespace waybill::gotemplate
