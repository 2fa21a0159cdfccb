#include "waybill/kube/watch_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "waybill/kube/json_access.h"

namespace waybill::kube {
namespace json = boost::json;
namespace {

constexpr char kInitialEventsEnd[] = "k8s.io/initial-events-end";
constexpr std::size_t kMostTypeWord = 32;

WatchLine dead(Received received, std::string type_word) {
  WatchLine line;
  line.type_word = std::move(type_word);
  if (received.dead_letter) line.version = received.dead_letter->name.resource_version;
  line.received = std::move(received);
  return line;
}

WatchLine dead_event(const Piece& piece, json::object& event, std::string type_word, std::string reason) {
  Received received;
  received.size = piece.size;
  DeadLetter letter;
  if (const json::object* object = object_at(event, "object")) letter.name = name_of(*object);
  letter.type = type_word;
  letter.size = piece.size;
  letter.reason = std::move(reason);
  received.dead_letter = std::move(letter);
  return dead(std::move(received), std::move(type_word));
}

}  // namespace

std::optional<EventType> event_type(std::string_view word) {
  if (word == "ADDED") return EventType::kAdded;
  if (word == "MODIFIED") return EventType::kModified;
  if (word == "DELETED") return EventType::kDeleted;
  return std::nullopt;
}

bool ends_initial_events(const json::object& bookmark) {
  const json::object* metadata = object_at(bookmark, "metadata");
  const json::object* annotations = metadata == nullptr ? nullptr : object_at(*metadata, "annotations");
  return annotations != nullptr && text_at(*annotations, kInitialEventsEnd) == "true";
}

WatchLine read_watch_line(const Piece& piece) {
  Received event = read_piece(piece, "");
  if (event.dead_letter) {
    std::string type = read_head(piece.text).type.substr(0, kMostTypeWord);
    event.dead_letter->type = type;
    return dead(std::move(event), std::move(type));
  }
  WatchLine line;
  line.type_word = text_at(event.object, "type").substr(0, kMostTypeWord);
  json::value* found = event.object.if_contains("object");
  json::object* object = found == nullptr ? nullptr : found->if_object();
  if (object == nullptr) return dead_event(piece, event.object, line.type_word, "an event without an object");
  if (line.type_word == "ERROR") {
    line.kind = WatchLine::Kind::kError;
    const std::string status = json::serialize(*object);
    line.error = to_status(parse_api_error(500, status), "watch");
    return line;
  }
  line.version = name_of(*object).resource_version;
  if (line.version.empty())
    return dead_event(piece, event.object, line.type_word, "an object without a resourceVersion");
  if (line.type_word == "BOOKMARK") {
    line.kind = WatchLine::Kind::kBookmark;
    line.initial_events_end = ends_initial_events(*object);
    return line;
  }
  const std::optional<EventType> type = event_type(line.type_word);
  if (!type) return dead_event(piece, event.object, line.type_word, "an event of a type that is not known");
  if (name_of(*object).uid.empty() || name_of(*object).name.empty())
    return dead_event(piece, event.object, line.type_word, "an object without uid or name");
  line.kind = WatchLine::Kind::kEvent;
  line.type = *type;
  line.received.size = piece.size;
  line.received.object = std::move(*object);
  line.received.written = drop_noise(line.received.object);
  return line;
}

bool is_lower_version(const std::string& version, const std::string& than) {
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.front() != '0' &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  if (!is_number(version) || !is_number(than)) return false;
  return version.size() != than.size() ? version.size() < than.size() : version < than;
}

}  // namespace waybill::kube
