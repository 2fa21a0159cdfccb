#include <algorithm>
#include <string>

#include "waybill/template/functions/functions.h"
#include "waybill/template/print.h"

// Sprig's functions of strings. The text that they work on comes last.
namespace waybill::gotemplate::functions {
namespace {

// Each rune through a function. Bytes that are no UTF-8 become U+FFFD.
template <class Map>
Value mapped(Workspace& work, std::string_view text, Map map) {
  work.charge(text.size());
  Sink sink = work.start();
  std::string character;
  while (!text.empty()) {
    const Decoded decoded = decode_rune(text);
    text.remove_prefix(decoded.width);
    const Rune rune = map(decoded.rune);
    if (rune < 0x80) {
      sink.append(static_cast<char>(rune));
      continue;
    }
    character.clear();
    append_rune(character, rune);
    sink.append(character);
  }
  return Value::of(work.take());
}

// Go's strings.Title: words begin after anything but letters, digits and underscores; beyond ASCII only after
// spaces.
bool separates_words(Rune rune) {
  if (rune < 0x80) return !is_letter_or_digit(rune) && rune != '_';
  return !is_letter_or_digit(rune) && is_space(rune);
}

Value list_of(std::string_view* parts, std::size_t count) {
  Value list;
  list.kind = Kind::kStrings;
  list.owns_views = true;
  list.views = parts;
  list.size = count;
  list.capacity = count;
  return list;
}

// One string a rune; broken bytes one by one.
Value exploded(Workspace& work, std::string_view text) {
  const std::size_t count = count_runes(text);
  auto* parts = work.room<std::string_view>(count);
  for (std::size_t i = 0; i < count; ++i) {
    parts[i] = text.substr(0, decode_rune(text).width);
    text.remove_prefix(parts[i].size());
  }
  return list_of(parts, count);
}

std::size_t count_occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size()))
    ++count;
  return count;
}

// `inserted` before, between and behind all runes, as replacing the empty string does.
Value interspersed(Workspace& work, std::string_view text, std::string_view inserted) {
  Sink sink = work.start();
  sink.append(inserted);
  while (!text.empty()) {
    const std::size_t width = decode_rune(text).width;
    sink.append(text.substr(0, width));
    sink.append(inserted);
    text.remove_prefix(width);
  }
  return Value::of(work.take());
}

}  // namespace

Value trim(Workspace& work, Arguments arguments) {
  std::string_view text = arguments[0].string();
  work.charge(text.size());
  for (Decoded decoded = decode_rune(text); decoded.width > 0 && is_space(decoded.rune);
       decoded = decode_rune(text)) {
    text.remove_prefix(decoded.width);
  }
  for (Decoded decoded = decode_last_rune(text); decoded.width > 0 && is_space(decoded.rune);
       decoded = decode_last_rune(text)) {
    text.remove_suffix(decoded.width);
  }
  return Value::of(text);
}

Value trim_prefix(Workspace&, Arguments arguments) {
  std::string_view text = arguments[1].string();
  if (text.starts_with(arguments[0].string())) text.remove_prefix(arguments[0].size);
  return Value::of(text);
}

Value trim_suffix(Workspace&, Arguments arguments) {
  std::string_view text = arguments[1].string();
  if (text.ends_with(arguments[0].string())) text.remove_suffix(arguments[0].size);
  return Value::of(text);
}

Value lower(Workspace& work, Arguments arguments) {
  return mapped(work, arguments[0].string(), [](Rune rune) { return gotemplate::to_lower(rune); });
}

Value upper(Workspace& work, Arguments arguments) {
  return mapped(work, arguments[0].string(), [](Rune rune) { return gotemplate::to_upper(rune); });
}

Value title(Workspace& work, Arguments arguments) {
  Rune before = ' ';
  return mapped(work, arguments[0].string(), [&before](Rune rune) {
    const bool begins = separates_words(before);
    before = rune;
    return begins ? gotemplate::to_title(rune) : rune;
  });
}

Value replace(Workspace& work, Arguments arguments) {
  const std::string_view old = arguments[0].string();
  const std::string_view replacement = arguments[1].string();
  std::string_view text = arguments[2].string();
  work.charge(text.size());
  if (old == replacement) return arguments[2];
  if (old.empty()) return interspersed(work, text, replacement);
  Sink sink = work.start();
  for (std::size_t at = text.find(old); at != std::string_view::npos; at = text.find(old)) {
    sink.append(text.substr(0, at));
    sink.append(replacement);
    text.remove_prefix(at + old.size());
  }
  sink.append(text);
  return Value::of(work.take());
}

Value contains(Workspace& work, Arguments arguments) {
  work.charge(arguments[1].size);
  return Value::of(arguments[1].string().find(arguments[0].string()) != std::string_view::npos);
}

Value has_prefix(Workspace&, Arguments arguments) {
  return Value::of(arguments[1].string().starts_with(arguments[0].string()));
}

Value has_suffix(Workspace&, Arguments arguments) {
  return Value::of(arguments[1].string().ends_with(arguments[0].string()));
}

Value join(Workspace& work, Arguments arguments) {
  const std::string_view separator = arguments[0].string();
  const Value& list = arguments[1];
  Sink sink = work.start();
  if (!list.is_list()) {
    if (!list.is_nil()) gotemplate::print(sink, list);
    return Value::of(work.take());
  }
  bool first = true;
  for (std::size_t i = 0; i < list.size; ++i) {
    const Value element = list.element(i).unboxed();
    work.charge(1);
    if (element.is_nil()) continue;
    if (!first) sink.append(separator);
    first = false;
    gotemplate::print(sink, element);
  }
  return Value::of(work.take());
}

Value split_list(Workspace& work, Arguments arguments) {
  const std::string_view separator = arguments[0].string();
  std::string_view text = arguments[1].string();
  work.charge(text.size());
  if (separator.empty()) return exploded(work, text);
  const std::size_t count = count_occurrences(text, separator) + 1;
  auto* parts = work.room<std::string_view>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts[i] = text.substr(0, end);
    text.remove_prefix(std::min(end + separator.size(), text.size()));
  }
  return list_of(parts, count);
}

Value trunc(Workspace&, Arguments arguments) {
  const std::int64_t count = arguments[0].integer;
  const std::string_view text = arguments[1].string();
  const auto size = static_cast<std::int64_t>(text.size());
  if (count < 0 && size + count > 0) return Value::of(text.substr(static_cast<std::size_t>(size + count)));
  if (count >= 0 && size > count) return Value::of(text.substr(0, static_cast<std::size_t>(count)));
  return Value::of(text);
}

}  // namespace waybill::gotemplate::functions
