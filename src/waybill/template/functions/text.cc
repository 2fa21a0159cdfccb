#include <string>

#include "waybill/template/functions/functions.h"
#include "waybill/template/print.h"
#include "waybill/template/quoting.h"

// Printing and the escapes for HTML, JavaScript and URLs.
namespace waybill::gotemplate::functions {
namespace {

constexpr std::string_view kUpperHex = "0123456789ABCDEF";

Value taken(Workspace& work) { return Value::of(work.take()); }

// What the escapes work on: one string as it is, anything else printed first.
std::string_view evaluated(Workspace& work, Arguments arguments) {
  if (arguments.size() == 1 && arguments[0].kind == Kind::kString) return arguments[0].string();
  std::vector<Value> shown(arguments.begin(), arguments.end());
  for (Value& value : shown) {
    if (value.is_nil()) value = Value::of(std::string_view("<no value>"));
  }
  Sink sink = work.start();
  print_all(sink, shown);
  return work.take();
}

std::string_view html_escape(char c) {
  switch (c) {
    case '\0':
      return "\uFFFD";
    case '"':
      return "&#34;";
    case '\'':
      return "&#39;";
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    default:
      return {};
  }
}

void append_js(Sink& sink, std::string_view character, Rune rune) {
  switch (rune) {
    case '\\':
      return sink.append("\\\\");
    case '\'':
      return sink.append("\\'");
    case '"':
      return sink.append("\\\"");
    default:
      break;
  }
  const bool markup = rune == '<' || rune == '>' || rune == '&' || rune == '=';
  if (!markup && rune >= ' ' && (rune < 0x80 || is_print(rune))) {
    return sink.append(character);
  }
  std::string digits;
  for (Rune rest = rune; rest > 0 || digits.size() < 4; rest >>= 4U)
    digits.insert(0, 1, kUpperHex[rest & 0xFU]);
  sink.append("\\u" + digits);
}

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.' || c == '~';
}

void append_percent(Sink& sink, char c) {
  const auto byte = static_cast<unsigned char>(c);
  const char text[] = {'%', kUpperHex[byte >> 4U], kUpperHex[byte & 0xFU]};
  sink.append(std::string_view(text, sizeof text));
}

}  // namespace

Value print(Workspace& work, Arguments arguments) {
  Sink sink = work.start();
  print_all(sink, arguments);
  return taken(work);
}

Value println(Workspace& work, Arguments arguments) {
  Sink sink = work.start();
  print_line(sink, arguments);
  return taken(work);
}

Value printf(Workspace& work, Arguments arguments) {
  Sink sink = work.start();
  print_formatted(sink, arguments[0].string(), arguments.subspan(1));
  return taken(work);
}

Value html(Workspace& work, Arguments arguments) {
  const std::string_view text = evaluated(work, arguments);
  work.charge(text.size());
  Sink sink = work.start();
  for (const char c : text) {
    const std::string_view escape = html_escape(c);
    escape.empty() ? sink.append(c) : sink.append(escape);
  }
  return taken(work);
}

Value js(Workspace& work, Arguments arguments) {
  std::string_view text = evaluated(work, arguments);
  work.charge(text.size());
  Sink sink = work.start();
  while (!text.empty()) {
    const Decoded decoded = decode_rune(text);
    append_js(sink, text.substr(0, decoded.width), decoded.rune);
    text.remove_prefix(decoded.width);
  }
  return taken(work);
}

Value urlquery(Workspace& work, Arguments arguments) {
  const std::string_view text = evaluated(work, arguments);
  work.charge(text.size());
  Sink sink = work.start();
  for (const char c : text) {
    if (is_unreserved(c)) {
      sink.append(c);
    } else if (c == ' ') {
      sink.append('+');
    } else {
      append_percent(sink, c);
    }
  }
  return taken(work);
}

Value url_path_escape(Workspace& work, Arguments arguments) {
  constexpr std::string_view kAllowed = "$&+:=@";  // in a segment of a path
  work.charge(arguments[0].size);
  Sink sink = work.start();
  for (const char c : arguments[0].string()) {
    const bool plain = is_unreserved(c) || kAllowed.find(c) != std::string_view::npos;
    plain ? sink.append(c) : append_percent(sink, c);
  }
  return taken(work);
}

Value quote(Workspace& work, Arguments arguments) {
  std::string text;
  for (const Value& value : arguments) {
    if (value.is_nil()) continue;
    Sink printed = work.start();
    waybill::gotemplate::print(printed, value);
    if (!text.empty()) text.push_back(' ');
    append_quoted(text, printed.text());
    work.charge(printed.text().size());
  }
  return Value::of(work.keep(text));
}

Value squote(Workspace& work, Arguments arguments) {
  Sink sink = work.start();
  for (const Value& value : arguments) {
    if (value.is_nil()) continue;
    sink.append(sink.text().empty() ? "'" : " '");
    waybill::gotemplate::print(sink, value);
    sink.append('\'');
  }
  return taken(work);
}

Value to_string(Workspace& work, Arguments arguments) {
  if (arguments[0].kind == Kind::kString) return arguments[0];
  Sink sink = work.start();
  waybill::gotemplate::print(sink, arguments[0]);
  return taken(work);
}

}  // namespace waybill::gotemplate::functions
