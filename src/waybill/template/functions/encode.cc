#include <absl/strings/escaping.h>
#include <fmt/format.h>

#include <optional>
#include <string>

#include "waybill/base/json.h"
#include "waybill/template/functions/functions.h"

namespace waybill::gotemplate::functions {
namespace {

std::optional<unsigned> sextet(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<unsigned>(c - 'A');
  if (c >= 'a' && c <= 'z') return static_cast<unsigned>(c - 'a' + 26);
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0' + 52);
  if (c == '+') return 62U;
  if (c == '/') return 63U;
  return std::nullopt;
}

// Standard base64 with padding; line breaks count for nothing. It says of a mistake at which byte it is, by
// the rules of Go's encoding/base64.
class Base64Decoder {
 public:
  explicit Base64Decoder(std::string_view text) : text_(text) {}

  // The byte of the mistake, or nothing.
  std::optional<std::size_t> decode(std::string& out);

 private:
  void skip_line_breaks() {
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) ++at_;
  }
  std::optional<std::size_t> padding(std::size_t held);

  std::string_view text_;
  std::size_t at_ = 0;
};

std::optional<std::size_t> Base64Decoder::decode(std::string& out) {
  unsigned bits = 0;
  std::size_t held = 0;  // of the four characters of a group
  const auto flush = [&out, &bits](std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) out.push_back(static_cast<char>(bits >> (16 - 8 * i) & 0xFFU));
  };
  for (;;) {
    skip_line_breaks();
    if (at_ == text_.size()) return held == 0 ? std::nullopt : std::optional(at_ - held);
    const char c = text_[at_++];
    if (const auto value = sextet(c)) {
      bits = bits << 6U | *value;
      if (++held < 4) continue;
      flush(3);
      held = 0;
      bits = 0;
      continue;
    }
    if (c != '=') return at_ - 1;
    const auto mistake = padding(held);
    if (mistake) return mistake;
    bits <<= 6 * (4 - held);
    flush(held - 1);
    return std::nullopt;
  }
}

// What follows the first '=' of a group.
std::optional<std::size_t> Base64Decoder::padding(std::size_t held) {
  if (held < 2) return at_ - 1;
  if (held == 2) {
    skip_line_breaks();
    if (at_ == text_.size()) return text_.size();
    if (text_[at_] != '=') return at_ - 1;
    ++at_;
  }
  skip_line_breaks();
  return at_ < text_.size() ? std::optional(at_) : std::nullopt;
}

}  // namespace

Value b64enc(Workspace& work, Arguments arguments) {
  const Value& text = arguments[0];
  work.charge(text.size);
  work.start().reserve(text.size);
  std::string encoded;
  absl::Base64Escape(std::string(text.string()), &encoded);
  return Value::of(work.keep(encoded));
}

Value b64dec(Workspace& work, Arguments arguments) {
  const Value& text = arguments[0];
  work.charge(text.size);
  std::string decoded;
  if (const auto mistake = Base64Decoder(text.string()).decode(decoded)) {
    decoded = fmt::format("illegal base64 data at input byte {}", *mistake);
  }
  return Value::of(work.keep(decoded));
}

Value sha256sum(Workspace& work, Arguments arguments) {
  work.charge(arguments[0].size * 4);
  return Value::of(work.keep(sha256_hex(arguments[0].string())));
}

}  // namespace waybill::gotemplate::functions
