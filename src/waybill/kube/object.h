#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <boost/json/object.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace waybill::kube {

// What names an object. Members that were not found are empty.
struct ObjectName {
  std::string uid;
  std::string name_space;
  std::string name;
  std::string resource_version;

  friend bool operator==(const ObjectName&, const ObjectName&) = default;
};
[[nodiscard]] ObjectName name_of(const boost::json::object& object);

// An object that could not be handled, and why.
struct DeadLetter {
  ObjectName name;   // as far as it could be read
  std::string type;  // of the event (ADDED, MODIFIED, DELETED), LISTED for an item of a list; "" : unknown
  std::size_t size = 0;  // bytes as sent
  std::string reason;    // one sentence
  std::string excerpt;   // the first 256 bytes of what is no object at all
};

// An object of a list or a watch: either `object`, or why there is none.
struct Received {
  boost::json::object object;  // without managedFields and last-applied annotation, without U+0000
  std::size_t size = 0;        // bytes as sent
  std::optional<absl::Time> written = {};      // the newest time of its managedFields, in whole seconds
  std::optional<DeadLetter> dead_letter = {};  // too large or not readable: `object` is empty
};

// Reads one object as sent. What is no JSON object becomes a dead letter of that type.
[[nodiscard]] Received read_object(std::string_view text, std::string_view type);

// Removes managedFields and the last-applied annotation and answers the newest time in managedFields.
std::optional<absl::Time> drop_noise(boost::json::object& object);
// Removes U+0000 from all strings and member names: databases refuse it.
void remove_nul(boost::json::value& value);

// Of an object, or of a watch event, of which only the first bytes are there: its type, uid, name, namespace
// and version as far as they can be read. Never fails.
struct Head {
  std::string type;
  ObjectName name;
};
[[nodiscard]] Head read_head(std::string_view bytes);

}  // namespace waybill::kube
