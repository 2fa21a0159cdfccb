#pragma once

#include <absl/time/time.h>

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <utility>

namespace waybill {

// A name that can't be mixed up with another kind's. The text is what the API shows; empty means "none".
template <class Tag>
class Id {
 public:
  Id() = default;
  explicit Id(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] const std::string& str() const { return text_; }
  [[nodiscard]] bool empty() const { return text_.empty(); }
  friend bool operator==(const Id&, const Id&) = default;
  friend auto operator<=>(const Id&, const Id&) = default;
  template <class H>
  friend H AbslHashValue(H hash, const Id& id) {
    return H::combine(std::move(hash), id.text_);
  }
  friend std::ostream& operator<<(std::ostream& out, const Id& id) { return out << id.text_; }

 private:
  std::string text_;
};

using JobId = Id<struct JobIdTag>;            // uuid v7
using CommandId = Id<struct CommandIdTag>;    // as in config, or its name
using ClusterId = Id<struct ClusterIdTag>;    // as in config, or its name
using RecordId = Id<struct RecordIdTag>;      // uuid v7
using InstanceId = Id<struct InstanceIdTag>;  // one per jobs_directory, kept over restarts

// Makes uuid v7 texts that sort by the order they were made in, also within one millisecond. Not thread-safe.
class IdGenerator {
 public:
  IdGenerator();                             // seeded by the system
  explicit IdGenerator(std::uint64_t seed);  // for tests

  [[nodiscard]] std::string next(absl::Time now);

 private:
  std::mt19937_64 random_;
  std::int64_t last_milliseconds_ = 0;
  std::uint32_t sequence_ = 0;
};

// Whether text is a uuid in its lower-case 8-4-4-4-12 form.
[[nodiscard]] bool is_uuid(std::string_view text);

}  // namespace waybill

template <class Tag>
struct std::hash<waybill::Id<Tag>> {
  std::size_t operator()(const waybill::Id<Tag>& id) const noexcept {
    return std::hash<std::string>{}(id.str());
  }
};
