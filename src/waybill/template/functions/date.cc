#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

#include "waybill/template/functions/functions.h"
#include "waybill/template/numbers.h"

// Go's time layouts ("2006-01-02 15:04:05") in UTC.
namespace waybill::gotemplate::functions {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"January",   "February", "March",    "April",
                                                      "May",       "June",     "July",     "August",
                                                      "September", "October",  "November", "December"};
constexpr std::array<std::string_view, 7> kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                   "Thursday", "Friday", "Saturday"};

struct Moment {
  std::int64_t year = 0;
  int month = 1;
  int day = 1;
  int day_of_year = 1;
  int weekday = 0;  // 0: Sunday
  int hour = 0, minute = 0, second = 0;
};

constexpr std::uint64_t kSecondsPerDay = 86400;
constexpr std::int64_t kDaysPerEra = 146097;  // 400 years
// Go counts seconds without sign from 1 March of the year -292277022400 and wraps around; this is 1970 in
// days.
constexpr std::int64_t kUnixDay = 730692556 * kDaysPerEra + 719468;

// The civil date of a day by counting from 1 March of year 0 in eras of 400 years.
Moment moment_of(std::int64_t unix_seconds) {
  Moment moment;
  const std::uint64_t seconds =
      static_cast<std::uint64_t>(unix_seconds) + static_cast<std::uint64_t>(kUnixDay) * kSecondsPerDay;
  const std::int64_t days = static_cast<std::int64_t>(seconds / kSecondsPerDay) - kUnixDay;
  const std::uint64_t rest = seconds % kSecondsPerDay;
  moment.hour = static_cast<int>(rest / 3600);
  moment.minute = static_cast<int>(rest / 60 % 60);
  moment.second = static_cast<int>(rest % 60);
  moment.weekday = static_cast<int>(((days + 4) % 7 + 7) % 7);
  const std::int64_t since_march = days + 719468;
  const std::int64_t era = (since_march >= 0 ? since_march : since_march - kDaysPerEra + 1) / kDaysPerEra;
  const std::int64_t day_of_era = since_march - era * kDaysPerEra;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month_from_march = (5 * day_of_year + 2) / 153;
  moment.day = static_cast<int>(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  moment.month = static_cast<int>(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
  moment.year = year_of_era + era * 400 + (moment.month <= 2 ? 1 : 0);
  const bool leap = moment.year % 4 == 0 && (moment.year % 100 != 0 || moment.year % 400 == 0);
  constexpr std::array<int, 12> kBefore = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
  moment.day_of_year = kBefore[static_cast<std::size_t>(moment.month - 1)] + moment.day;
  if (leap && moment.month > 2) ++moment.day_of_year;
  return moment;
}

int hour_of_twelve(int hour) { return hour % 12 == 0 ? 12 : hour % 12; }

// A small number with leading zeros or spaces.
std::string padded(int number, std::size_t digits, char with = '0') {
  std::string text = std::to_string(number);
  if (text.size() < digits) text.insert(0, digits - text.size(), with);
  return text;
}

std::string year_text(std::int64_t year) {
  std::string text = std::to_string(std::abs(year));
  if (text.size() < 4) text.insert(0, 4 - text.size(), '0');
  return year < 0 ? "-" + text : text;
}

std::string_view month_name(const Moment& m) { return kMonths[static_cast<std::size_t>(m.month - 1)]; }
std::string_view day_name(const Moment& m) { return kDays[static_cast<std::size_t>(m.weekday)]; }

// One element of a layout and what it shows. `not_before_lower`: "Jan" doesn't count in "Janet".
struct Element {
  std::string_view name;
  std::string (*show)(const Moment&);
  bool not_before_lower = false;
};

std::string utc_offset(std::string_view text) { return std::string(text); }

// In this order the first that fits is the right one.
const Element kElements[] = {
    {"January", [](const Moment& m) { return std::string(month_name(m)); }},
    {"Jan", [](const Moment& m) { return std::string(month_name(m).substr(0, 3)); }, true},
    {"Monday", [](const Moment& m) { return std::string(day_name(m)); }},
    {"Mon", [](const Moment& m) { return std::string(day_name(m).substr(0, 3)); }, true},
    {"MST", [](const Moment&) { return utc_offset("UTC"); }},
    {"01", [](const Moment& m) { return padded(m.month, 2); }},
    {"02", [](const Moment& m) { return padded(m.day, 2); }},
    {"03", [](const Moment& m) { return padded(hour_of_twelve(m.hour), 2); }},
    {"04", [](const Moment& m) { return padded(m.minute, 2); }},
    {"05", [](const Moment& m) { return padded(m.second, 2); }},
    {"06", [](const Moment& m) { return padded(static_cast<int>(std::abs(m.year) % 100), 2); }},
    {"002", [](const Moment& m) { return padded(m.day_of_year, 3); }},
    {"15", [](const Moment& m) { return padded(m.hour, 2); }},
    {"1", [](const Moment& m) { return std::to_string(m.month); }},
    {"2006", [](const Moment& m) { return year_text(m.year); }},
    {"2", [](const Moment& m) { return std::to_string(m.day); }},
    {"_2006", [](const Moment& m) { return "_" + year_text(m.year); }},
    {"_2", [](const Moment& m) { return padded(m.day, 2, ' '); }},
    {"__2", [](const Moment& m) { return padded(m.day_of_year, 3, ' '); }},
    {"3", [](const Moment& m) { return std::to_string(hour_of_twelve(m.hour)); }},
    {"4", [](const Moment& m) { return std::to_string(m.minute); }},
    {"5", [](const Moment& m) { return std::to_string(m.second); }},
    {"PM", [](const Moment& m) { return std::string(m.hour >= 12 ? "PM" : "AM"); }},
    {"pm", [](const Moment& m) { return std::string(m.hour >= 12 ? "pm" : "am"); }},
    {"-070000", [](const Moment&) { return utc_offset("+000000"); }},
    {"-07:00:00", [](const Moment&) { return utc_offset("+00:00:00"); }},
    {"-0700", [](const Moment&) { return utc_offset("+0000"); }},
    {"-07:00", [](const Moment&) { return utc_offset("+00:00"); }},
    {"-07", [](const Moment&) { return utc_offset("+00"); }},
    {"Z070000", [](const Moment&) { return utc_offset("Z"); }},
    {"Z07:00:00", [](const Moment&) { return utc_offset("Z"); }},
    {"Z0700", [](const Moment&) { return utc_offset("Z"); }},
    {"Z07:00", [](const Moment&) { return utc_offset("Z"); }},
    {"Z07", [](const Moment&) { return utc_offset("Z"); }},
};

const Element* element_at(std::string_view layout) {
  constexpr std::string_view kFirst = "JM012_345Pp-Z";
  if (kFirst.find(layout[0]) == std::string_view::npos) return nullptr;
  for (const Element& element : kElements) {
    if (element.name[0] != layout[0] || !layout.starts_with(element.name)) continue;
    const std::size_t size = element.name.size();
    const bool lower = size < layout.size() && layout[size] >= 'a' && layout[size] <= 'z';
    if (!element.not_before_lower || !lower) return &element;
  }
  return nullptr;
}

// The length of a fraction of a second such as ".000" or ",999" that no further digit follows; 0 if none.
std::size_t fraction_length(std::string_view layout) {
  if (layout.size() < 2 || (layout[0] != '.' && layout[0] != ',')) return 0;
  if (layout[1] != '0' && layout[1] != '9') return 0;
  const std::size_t end = std::min(layout.find_first_not_of(layout[1], 1), layout.size());
  const bool digit = end < layout.size() && layout[end] >= '0' && layout[end] <= '9';
  return digit ? 0 : end;
}

// Whole seconds have zeros as their fraction; nines ask for a fraction without trailing zeros, which is none.
// Beyond nine digits Go shows nine.
void append_fraction(Sink& sink, std::string_view fraction) {
  if (fraction[1] == '9') return;
  sink.append(fraction.substr(0, 10));
}

void append_formatted(Sink& sink, std::string_view layout, const Moment& moment) {
  while (!layout.empty()) {
    if (const Element* element = element_at(layout)) {
      sink.append(element->show(moment));
      layout.remove_prefix(element->name.size());
    } else if (const std::size_t length = fraction_length(layout); length > 0) {
      append_fraction(sink, layout.substr(0, length));
      layout.remove_prefix(length);
    } else {
      sink.append(layout[0]);
      layout.remove_prefix(1);
    }
  }
}

std::int64_t seconds_of(const Value& value) {
  switch (value.kind) {
    case Kind::kInt:
      return value.integer;
    case Kind::kByte:
      return static_cast<std::int64_t>(value.unsigned_integer);
    case Kind::kUint:
      break;
    case Kind::kFloat:
      if (std::fabs(value.real) < 9.2e18) return static_cast<std::int64_t>(std::floor(value.real));
      break;
    default:
      throw FunctionError{
          fmt::format("expected a number of seconds since 1970; got {}", concrete_type(value))};
  }
  throw FunctionError{"the number of seconds since 1970 is too large for a date"};
}

}  // namespace

Value date(Workspace& work, Arguments arguments) {
  const std::string_view layout = arguments[0].string();
  const Moment moment = moment_of(seconds_of(arguments[1]));
  work.charge(layout.size() * 8);
  Sink sink = work.start();
  append_formatted(sink, layout, moment);
  return Value::of(work.take());
}

}  // namespace waybill::gotemplate::functions
