#include "waybill/api/rest/json_text.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "waybill/base/go_json.h"

namespace waybill::rest {

void JsonText::before() {
  if (comma_) out_ += ',';
  comma_ = true;
}

void JsonText::open(char bracket) {
  before();
  out_ += bracket;
  comma_ = false;
}

void JsonText::close(char bracket) {
  out_ += bracket;
  comma_ = true;
}

void JsonText::key(std::string_view name) {
  before();
  append_json_string(name, out_);
  out_ += ':';
  comma_ = false;
}

void JsonText::text(std::string_view value) {
  before();
  append_json_string(value, out_);
}

void JsonText::number(std::int64_t value) {
  before();
  const fmt::format_int digits(value);
  out_.append(digits.data(), digits.size());
}

void JsonText::real(double value) {
  before();
  append_go_number(value, out_);
}

void JsonText::flag(bool value) {
  before();
  out_ += value ? "true" : "false";
}

void JsonText::value(const boost::json::value& value) {
  before();
  append_go_json(value, out_);
}

void JsonText::raw(std::string_view json) {
  before();
  out_ += json;
}

void JsonText::some(std::string_view name, std::string_view value) {
  if (value.empty()) return;
  key(name);
  text(value);
}

void JsonText::some_number(std::string_view name, std::int64_t value) {
  if (value == 0) return;
  key(name);
  number(value);
}

void JsonText::some_flag(std::string_view name, bool value) {
  if (!value) return;
  key(name);
  flag(true);
}

void JsonText::words(std::string_view name, const std::vector<std::string>& values) {
  key(name);
  begin_array();
  for (const std::string& value : values) text(value);
  end_array();
}

}  // namespace waybill::rest
