#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>
#include <string>
#include <string_view>

#include "waybill/template/template.h"

// What one execution owns and may use up. Whatever can grow is paid for before it grows, so that no template
// and no data can hold the server up. The exceptions here never leave this folder.
namespace waybill::gotemplate {

// A limit is passed.
struct Exhausted {
  std::string what;
};

// A function's own error; the evaluator says where.
struct FunctionError {
  std::string what;
};

// A text that may grow up to a limit.
class Sink {
 public:
  Sink(std::string& text, std::size_t limit) : text_(text), limit_(limit) {}

  void append(std::string_view part) {
    reserve(part.size());
    text_.append(part);
  }
  void append(char c) {
    reserve(1);
    text_.push_back(c);
  }
  void append(std::size_t count, char c) {
    reserve(count);
    text_.append(count, c);
  }
  [[nodiscard]] std::string& text() { return text_; }
  // Throws Exhausted if `bytes` more don't fit.
  void reserve(std::size_t bytes) const {
    if (bytes > limit_ || text_.size() > limit_ - bytes) overflow();
  }

 private:
  [[noreturn]] void overflow() const;

  std::string& text_;
  std::size_t limit_;
};

class Workspace {
 public:
  explicit Workspace(const Limits& limits);

  // A sink to build one text in; only one at a time. take() keeps what was built until the execution ends.
  Sink start();
  std::string_view take();

  // Keeps a copy of a text, or room for `count` objects of a trivial type.
  std::string_view keep(std::string_view text);
  template <class T>
  T* room(std::size_t count) {
    charge_memory(count * sizeof(T));
    return static_cast<T*>(memory_.allocate(count * sizeof(T), alignof(T)));
  }

  // Counts bytes that a function looks at.
  void charge(std::size_t bytes);

 private:
  void charge_memory(std::size_t bytes);

  std::array<std::byte, 2048> first_;
  std::pmr::monotonic_buffer_resource memory_{first_.data(), first_.size()};
  std::string scratch_;
  std::size_t memory_left_;
  std::size_t work_left_;
};

}  // namespace waybill::gotemplate
