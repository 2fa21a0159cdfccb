#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::rest {

// Writes JSON straight into one string. The caller keeps begins and ends in balance.
class JsonText {
 public:
  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name);

  void text(std::string_view value);
  void number(std::int64_t value);
  void real(double value);
  void flag(bool value);
  void value(const boost::json::value& value);
  void raw(std::string_view json);  // a whole value, or members

  // Members that are left out where they say nothing: "", 0, false.
  void some(std::string_view name, std::string_view value);
  void some(std::string_view name, const std::string& value) { some(name, std::string_view(value)); }
  void some(std::string_view name, const char* value) { some(name, std::string_view(value)); }
  void some_number(std::string_view name, std::int64_t value);
  void some_flag(std::string_view name, bool value);
  // A list, also when it is empty.
  void words(std::string_view name, const std::vector<std::string>& values);

  [[nodiscard]] std::string take() { return std::move(out_); }
  [[nodiscard]] std::size_t size() const { return out_.size(); }

 private:
  void open(char bracket);
  void close(char bracket);
  void before();

  std::string out_;
  bool comma_ = false;
};

}  // namespace waybill::rest
