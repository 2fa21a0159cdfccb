#include <cstdlib>
#include <limits>

#include "waybill/template/print.h"

// Sprintf: reads the format and hands each verb to a Printer.
namespace waybill::gotemplate {
namespace {

constexpr std::int64_t kLargest = 1'000'000;  // width or precision

class Formatter {
 public:
  Formatter(Sink& out, std::string_view format, std::span<const Value> values)
      : out_(out), format_(format), values_(values) {}

  void run();

 private:
  struct Parsed {
    int number = 0;
    bool found = false;
  };

  void verb();
  void flags();
  void width();
  void precision();
  void explicit_index();
  Parsed number();
  Parsed number_argument();
  void extra();
  void note(Rune verb, std::string_view what);
  [[nodiscard]] bool at(char c) const { return at_ < format_.size() && format_[at_] == c; }

  Sink& out_;
  std::string_view format_;
  std::span<const Value> values_;
  std::size_t at_ = 0;
  std::size_t next_value_ = 0;
  bool reordered_ = false;     // an index such as [2] was used somewhere
  bool after_index_ = false;   // the last thing read was such an index
  bool index_is_good_ = true;  // of the current verb
  Format current_;
};

void Formatter::run() {
  while (at_ < format_.size()) {
    const std::size_t percent = std::min(format_.find('%', at_), format_.size());
    out_.append(format_.substr(at_, percent - at_));
    at_ = percent;
    if (at_ >= format_.size()) break;
    ++at_;
    verb();
  }
  if (!reordered_ && next_value_ < values_.size()) extra();
}

void Formatter::verb() {
  current_ = {};
  index_is_good_ = true;
  after_index_ = false;
  flags();
  explicit_index();
  width();
  precision();
  if (!after_index_) explicit_index();
  if (at_ >= format_.size()) return out_.append("%!(NOVERB)");
  const Decoded decoded = decode_rune(format_.substr(at_));
  at_ += decoded.width;
  const Rune verb = decoded.rune;
  if (verb == '%') return out_.append('%');
  if (!index_is_good_) return note(verb, "(BADINDEX)");
  if (next_value_ >= values_.size()) return note(verb, "(MISSING)");
  if (verb == 'v' || verb == 'w') {
    current_.sharp_v = current_.sharp;
    current_.plus_v = current_.plus;
    current_.sharp = current_.plus = false;
  }
  Printer(out_, current_).argument(values_[next_value_], verb);
  ++next_value_;
}

void Formatter::flags() {
  for (; at_ < format_.size(); ++at_) {
    switch (format_[at_]) {
      case '#':
        current_.sharp = true;
        break;
      case '0':
        current_.zero = true;
        break;
      case '+':
        current_.plus = true;
        break;
      case '-':
        current_.minus = true;
        break;
      case ' ':
        current_.space = true;
        break;
      default:
        return;
    }
  }
}

void Formatter::width() {
  if (at('*')) {
    ++at_;
    const Parsed parsed = number_argument();
    current_.width = parsed.number;
    current_.has_width = parsed.found;
    if (!parsed.found) out_.append("%!(BADWIDTH)");
    if (current_.width < 0) {
      current_.width = -current_.width;
      current_.minus = true;
      current_.zero = false;
    }
    after_index_ = false;
    return;
  }
  const Parsed parsed = number();
  current_.width = parsed.number;
  current_.has_width = parsed.found;
  if (after_index_ && parsed.found) index_is_good_ = false;
}

void Formatter::precision() {
  if (!at('.') || at_ + 1 >= format_.size()) return;
  ++at_;
  if (after_index_) index_is_good_ = false;
  explicit_index();
  if (at('*')) {
    ++at_;
    const Parsed parsed = number_argument();
    const bool negative = parsed.number < 0;
    current_.precision = negative ? 0 : parsed.number;
    current_.has_precision = parsed.found && !negative;
    if (!current_.has_precision) out_.append("%!(BADPREC)");
    after_index_ = false;
    return;
  }
  const Parsed parsed = number();
  current_.precision = parsed.found ? parsed.number : 0;
  current_.has_precision = true;
}

// Digits at the current place. A number that is too large swallows the rest of the format.
Formatter::Parsed Formatter::number() {
  Parsed result;
  for (; at_ < format_.size() && format_[at_] >= '0' && format_[at_] <= '9'; ++at_) {
    if (result.number > kLargest) {
      at_ = format_.size();
      return {};
    }
    result.number = result.number * 10 + (format_[at_] - '0');
    result.found = true;
  }
  return result;
}

// The next value as a width or precision.
Formatter::Parsed Formatter::number_argument() {
  if (next_value_ >= values_.size()) return {};
  const Value& value = values_[next_value_++];
  std::int64_t number = 0;
  if (value.kind == Kind::kInt) {
    number = value.integer;
  } else if (value.kind == Kind::kByte || value.kind == Kind::kUint) {
    if (value.unsigned_integer > static_cast<std::uint64_t>(kLargest)) return {};
    number = static_cast<std::int64_t>(value.unsigned_integer);
  } else {
    return {};
  }
  if (number > kLargest || number < -kLargest) return {};
  return {static_cast<int>(number), true};
}

// [n] at the current place: the value to take next.
void Formatter::explicit_index() {
  after_index_ = false;
  if (!at('[')) return;
  reordered_ = true;
  const std::string_view rest = format_.substr(at_);
  const std::size_t close = rest.size() < 3 ? std::string_view::npos : rest.find(']', 1);
  if (close == std::string_view::npos) {
    index_is_good_ = false;
    ++at_;
    return;
  }
  std::int64_t number = 0;
  bool good = close > 1;
  for (const char c : rest.substr(1, close - 1)) {
    good = good && c >= '0' && c <= '9' && number <= kLargest;
    if (good) number = number * 10 + (c - '0');
  }
  at_ += close + 1;
  after_index_ = good;
  if (good && number >= 1 && static_cast<std::size_t>(number) <= values_.size()) {
    next_value_ = static_cast<std::size_t>(number - 1);
  } else {
    index_is_good_ = false;
  }
}

void Formatter::extra() {
  out_.append("%!(EXTRA ");
  for (std::size_t i = next_value_; i < values_.size(); ++i) {
    if (i > next_value_) out_.append(", ");
    if (values_[i].is_nil()) {
      out_.append("<nil>");
      continue;
    }
    out_.append(concrete_type(values_[i]));
    out_.append('=');
    Printer(out_).argument(values_[i], 'v');
  }
  out_.append(')');
}

void Formatter::note(Rune verb, std::string_view what) {
  std::string text = "%!";
  append_rune(text, verb);
  out_.append(text);
  out_.append(what);
}

}  // namespace

void print_formatted(Sink& out, std::string_view format, std::span<const Value> values) {
  Formatter(out, format, values).run();
}

}  // namespace waybill::gotemplate
