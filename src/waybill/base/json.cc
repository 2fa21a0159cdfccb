#include "waybill/base/json.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "waybill/base/hex.h"
#include "waybill/base/json_string.h"
#include "waybill/base/status.h"

namespace waybill {
namespace json = boost::json;
namespace {

std::string place(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n');
  const std::size_t column = offset - (start == std::string_view::npos ? 0 : start + 1) + 1;
  return fmt::format("line {}, column {}", line, column);
}

std::string reason(const json::error_code& problem) {
  if (problem == json::error::too_deep) return "it is nested too deeply";
  if (problem == json::error::incomplete) return "it ends too early";
  if (problem == json::error::extra_data) return "there is more after its end";
  return problem.message();
}

bool has_nul(const json::value& value) {
  switch (value.kind()) {
    case json::kind::string:
      return value.get_string().find('\0') != json::string::npos;
    case json::kind::array:
      return std::any_of(value.get_array().begin(), value.get_array().end(), has_nul);
    case json::kind::object:
      return std::any_of(value.get_object().begin(), value.get_object().end(), [](const auto& member) {
        return member.key().find('\0') != json::string_view::npos || has_nul(member.value());
      });
    default:
      return false;
  }
}

void write_canonical(const json::value& value, std::string& out) {
  if (const json::array* array = value.if_array()) {
    out += '[';
    for (std::size_t i = 0; i < array->size(); ++i) {
      if (i > 0) out += ',';
      write_canonical((*array)[i], out);
    }
    out += ']';
  } else if (const json::object* object = value.if_object()) {
    std::vector<const json::key_value_pair*> members;
    for (const auto& member : *object) members.push_back(&member);
    std::sort(members.begin(), members.end(), [](auto* a, auto* b) { return a->key() < b->key(); });
    out += '{';
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i > 0) out += ',';
      append_json_text(members[i]->key(), out);
      out += ':';
      write_canonical(members[i]->value(), out);
    }
    out += '}';
  } else if (const json::string* text = value.if_string()) {
    append_json_text(*text, out);
  } else {
    out += json::serialize(value);
  }
}

// Builds the value of a document. Boost 1.81's own parser rounds one double in ten wrongly; from_chars does
// not.
class ValueBuilder {
 public:
  static constexpr std::size_t max_array_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_string_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_key_size = std::numeric_limits<std::size_t>::max();

  json::value release() { return stack_.release(); }

  bool on_document_begin(json::error_code&) {
    stack_.reset();
    return true;
  }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code&) { return true; }
  bool on_object_end(std::size_t members, json::error_code&) {
    stack_.push_object(members);
    return true;
  }
  bool on_array_begin(json::error_code&) { return true; }
  bool on_array_end(std::size_t items, json::error_code&) {
    stack_.push_array(items);
    return true;
  }
  bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
    stack_.push_chars(part);
    return true;
  }
  bool on_key(json::string_view part, std::size_t, json::error_code&) {
    stack_.push_key(part);
    return true;
  }
  bool on_string_part(json::string_view part, std::size_t, json::error_code&) {
    stack_.push_chars(part);
    return true;
  }
  bool on_string(json::string_view part, std::size_t, json::error_code&) {
    stack_.push_string(part);
    return true;
  }
  bool on_number_part(json::string_view part, json::error_code&) {
    number_.append(part);
    return true;
  }
  bool on_int64(std::int64_t number, json::string_view part, json::error_code&) {
    if (whole(part) == "-0") {
      stack_.push_double(-0.0);
    } else {
      stack_.push_int64(number);
    }
    number_.clear();
    return true;
  }
  bool on_uint64(std::uint64_t number, json::string_view, json::error_code&) {
    stack_.push_uint64(number);
    number_.clear();
    return true;
  }
  bool on_double(double rough, json::string_view part, json::error_code& problem) {
    const std::string_view text = whole(part);
    double exact = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), exact);
    if (read.ec == std::errc::result_out_of_range) {
      if (!(rough > -1 && rough < 1)) {
        problem = json::error::exponent_overflow;
        return false;
      }
      exact = 0;  // too small for a double
    }
    stack_.push_double(exact);
    number_.clear();
    return true;
  }
  bool on_bool(bool value, json::error_code&) {
    stack_.push_bool(value);
    return true;
  }
  bool on_null(json::error_code&) {
    stack_.push_null();
    return true;
  }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

 private:
  std::string_view whole(json::string_view last) {
    if (number_.empty()) return {last.data(), last.size()};
    number_.append(last);
    return number_;
  }

  json::value_stack stack_;
  std::string number_;  // the parts of a number so far
};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

absl::StatusOr<json::value> parse_json(std::string_view text, JsonLimits limits) {
  json::parse_options options;
  options.max_depth = limits.depth;
  options.allow_invalid_utf8 = false;
  json::basic_parser<ValueBuilder> parser(options);
  json::error_code problem;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), problem);
  if (!problem && read < text.size()) problem = json::error::extra_data;
  if (problem) {
    return error(absl::StatusCode::kInvalidArgument, "malformed_json",
                 fmt::format("the JSON is malformed at {}: {}", place(text, read), reason(problem)));
  }
  json::value value = parser.handler().release();
  if (has_nul(value)) {
    return error(absl::StatusCode::kInvalidArgument, "malformed_json",
                 "the JSON has a string with the character U+0000, which can't be stored: remove it");
  }
  return value;
}

// json::serialize() costs much for each of many short texts.
void append_json_text(std::string_view text, std::string& out) {
  const bool plain = std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '"' || c == '\\';
  });
  if (!plain) {
    out += json::serialize(json::string_view(text.data(), text.size()));
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

std::string canonical_json(const json::value& value) {
  std::string out;
  write_canonical(value, out);
  return out;
}

const json::value* find_member(const json::object& object, std::string_view name) {
  if (const json::value* exact = object.if_contains(name)) return exact;
  const json::value* found = nullptr;
  for (const auto& member : object) {
    if (same_letters(member.key(), name)) found = &member.value();
  }
  return found;
}

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  return hex_of(std::span(digest).first(size));
}

std::string hmac_sha256_hex(std::string_view key, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data(), &size);
  return hex_of(std::span(digest).first(size));
}

}  // namespace waybill
