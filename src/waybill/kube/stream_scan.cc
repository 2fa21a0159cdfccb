#include "waybill/kube/stream_scan.h"

#include <absl/status/statusor.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "waybill/base/status.h"

namespace waybill::kube {
namespace {

constexpr std::size_t kMostEnvelope = std::size_t{1} << 20U;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool is_blank(std::string_view line) { return std::all_of(line.begin(), line.end(), is_space); }

}  // namespace

Received read_piece(const Piece& piece, std::string_view type) {
  if (!piece.cut) return read_object(piece.text, type);
  const Head head = read_head(piece.text);
  Received received;
  received.size = piece.size;
  received.dead_letter =
      DeadLetter{head.name, std::string(type), piece.size,
                 fmt::format("has {} bytes, more than the limit of {}", piece.size, piece.text.size()), ""};
  return received;
}

void LineSplitter::feed(std::string bytes) {
  bytes_ = std::move(bytes);
  at_ = 0;
}

std::optional<Piece> LineSplitter::next() {
  if (std::exchange(given_out_, false)) {
    line_.clear();
    size_ = 0;
  }
  while (at_ < bytes_.size()) {
    const std::size_t end = bytes_.find('\n', at_);
    const std::string_view rest =
        std::string_view(bytes_).substr(at_, end == std::string::npos ? end : end - at_);
    at_ = end == std::string::npos ? bytes_.size() : end + 1;
    if (end != std::string::npos && size_ == 0) {  // the usual one: whole in its chunk
      if (is_blank(rest)) continue;
      return Piece{rest.substr(0, limit_), rest.size(), rest.size() > limit_};
    }
    size_ += rest.size();
    line_.append(rest.substr(0, limit_ - std::min(limit_, line_.size())));
    if (end == std::string::npos) break;
    given_out_ = true;
    if (!is_blank(line_)) return Piece{line_, size_, size_ > limit_};
    return next();
  }
  return std::nullopt;
}

void ListSplitter::feed(std::string bytes) {
  bytes_ = std::move(bytes);
  at_ = 0;
}

absl::StatusOr<std::optional<Piece>> ListSplitter::next() {
  if (std::exchange(given_out_, false)) {
    item_.clear();
    size_ = 0;
  }
  while (at_ < bytes_.size()) {
    if (in_string_ && !escaped_) {  // on to what ends the string, at once
      const std::size_t end = std::min(bytes_.find_first_of("\"\\", at_), bytes_.size());
      keep(std::string_view(bytes_).substr(at_, end - at_));
      at_ = end;
      if (at_ == bytes_.size()) break;
    }
    WB_TRY(step(bytes_[at_++]));
    if (!given_out_) continue;
    return Piece{item_, size_, size_ > limit_};
  }
  return std::optional<Piece>();
}

void ListSplitter::keep(std::string_view text) {
  if (state_ == State::kItem) {
    size_ += text.size();
    item_.append(text.substr(0, limit_ - item_.size()));
  } else {
    envelope_.append(text.substr(0, kMostEnvelope + 1 - std::min(kMostEnvelope + 1, envelope_.size())));
  }
}

absl::Status ListSplitter::step(char c) {
  if (in_string_) {
    keep({&c, 1});
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
      key_end_ = envelope_.size() - 1;
    }
    return absl::OkStatus();
  }
  const bool opens = c == '{' || c == '[';
  const bool closes = c == '}' || c == ']';
  if (state_ == State::kBegin || state_ == State::kEnd) {
    if (is_space(c)) return absl::OkStatus();
    if (state_ == State::kEnd || c != '{') return invalid("the answer is no list of objects");
    state_ = State::kEnvelope;
  } else if (state_ == State::kItems) {
    if (is_space(c) || c == ',') return absl::OkStatus();
    state_ = c == ']' ? State::kEnvelope : State::kItem;
  } else if (state_ == State::kEnvelope && depth_ == 1 && c == '[' &&
             std::string_view(envelope_).substr(key_begin_, key_end_ - key_begin_) == "items") {
    state_ = State::kItems;
    depth_ = 2;
    keep({&c, 1});
    return absl::OkStatus();
  }
  if (state_ == State::kItem && depth_ == 2 && (c == ',' || c == ']')) {
    return invalid("the answer is a list of something else than objects");
  }
  keep({&c, 1});
  if (c == '"') {
    in_string_ = true;
    if (state_ == State::kEnvelope && depth_ == 1) key_begin_ = envelope_.size();
  }
  depth_ += opens ? 1 : closes ? -1 : 0;
  if (state_ == State::kItem && closes && depth_ == 2) {
    state_ = State::kItems;
    given_out_ = true;
  } else if (state_ == State::kEnvelope && depth_ == 0) {
    state_ = State::kEnd;
  }
  if (envelope_.size() > kMostEnvelope)
    return invalid("the answer is no list: more than 1 MiB beside its items");
  return absl::OkStatus();
}

}  // namespace waybill::kube
