#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "waybill/kube/object.h"

// How the bytes of a watch and of a list fall into objects, wherever the chunks of the network split them.
// Each byte is looked at once, and no more than one object is kept.
namespace waybill::kube {

// A line, or an item of a list.
struct Piece {
  std::string_view text;  // valid until the next call
  std::size_t size = 0;   // bytes as sent
  bool cut = false;       // over the limit: text has only its first bytes
};

// The object in it, or a dead letter of that type where it was cut or can't be read.
[[nodiscard]] Received read_piece(const Piece& piece, std::string_view type);

// The lines of a watch. Empty ones are skipped; a last one without its line feed is none.
class LineSplitter {
 public:
  explicit LineSplitter(std::size_t limit) : limit_(limit) {}
  // Only once next() has answered nullopt.
  void feed(std::string bytes);
  [[nodiscard]] std::optional<Piece> next();
  // Whether a line has begun and not ended.
  [[nodiscard]] bool in_a_line() const { return size_ > 0; }

 private:
  const std::size_t limit_;
  std::string bytes_;
  std::size_t at_ = 0;
  std::string line_;        // what came of a line in earlier chunks, at most limit_
  std::size_t size_ = 0;    // of that line so far
  bool given_out_ = false;  // line_ was the last piece
};

// The items of a list object, and what else is in it.
class ListSplitter {
 public:
  explicit ListSplitter(std::size_t limit) : limit_(limit) {}
  // Only once next() has answered nullopt.
  void feed(std::string bytes);
  // InvalidArgument: this is no list.
  [[nodiscard]] absl::StatusOr<std::optional<Piece>> next();
  // The list object was closed.
  [[nodiscard]] bool complete() const { return state_ == State::kEnd; }
  // Once complete: the object without its items, at most 1 MiB.
  [[nodiscard]] const std::string& envelope() const { return envelope_; }

 private:
  enum class State { kBegin, kEnvelope, kItems, kItem, kEnd };
  absl::Status step(char c);
  void keep(std::string_view text);

  std::size_t limit_;
  State state_ = State::kBegin;
  std::string bytes_;
  std::size_t at_ = 0;
  std::string envelope_;
  std::string item_;
  std::size_t size_ = 0;  // of the item so far
  int depth_ = 0;         // open brackets, within the item or within the envelope
  bool in_string_ = false;
  bool escaped_ = false;
  bool given_out_ = false;
  std::size_t key_begin_ = 0;  // where the last string of the envelope at depth 1 began
  std::size_t key_end_ = 0;
};

}  // namespace waybill::kube
