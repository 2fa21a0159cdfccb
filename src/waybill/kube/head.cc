#include <algorithm>
#include <vector>

#include "waybill/kube/object.h"

namespace waybill::kube {
namespace {

constexpr std::size_t kMostDepth = 1024;

// Walks over a text that may be cut off anywhere or be no JSON at all, and notes the strings of metadata.
class HeadScan {
 public:
  explicit HeadScan(std::string_view text) : text_(text) {}

  Head scan() {
    while (at_ < text_.size() && open_.size() < kMostDepth) step();
    return std::move(head_);
  }

 private:
  struct Open {
    bool object = false;
    bool key_next = false;
    std::string_view key = {};
  };

  void step() {
    const char c = text_[at_++];
    switch (c) {
      case '{':
      case '[':
        open_.push_back({c == '{', c == '{'});
        break;
      case '}':
      case ']':
        if (!open_.empty()) open_.pop_back();
        break;
      case ',':
        if (!open_.empty()) open_.back().key_next = open_.back().object;
        break;
      case '"':
        take_string();
        break;
      default:
        break;
    }
  }

  void take_string() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) return;  // cut off within it
    const std::string_view value = text_.substr(begin, at_ - begin);
    ++at_;
    if (open_.empty()) return;
    if (open_.back().key_next) {
      open_.back().key = value;
      open_.back().key_next = false;
    } else if (open_.back().object) {
      note(open_.back().key, value);
    }
  }

  [[nodiscard]] bool within_metadata() const {
    const std::size_t depth = open_.size();
    if (depth == 2) return open_[0].key == "metadata";
    return depth == 3 && open_[0].key == "object" && open_[1].key == "metadata";
  }

  void note(std::string_view key, std::string_view value) {
    if (value.find('\\') != std::string_view::npos) return;  // none of these names has an escape
    if (open_.size() == 1 && key == "type") head_.type = value;
    if (!within_metadata()) return;
    if (key == "uid") head_.name.uid = value;
    if (key == "namespace") head_.name.name_space = value;
    if (key == "name") head_.name.name = value;
    if (key == "resourceVersion") head_.name.resource_version = value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Open> open_;
  Head head_;
};

}  // namespace

Head read_head(std::string_view bytes) { return HeadScan(bytes).scan(); }

}  // namespace waybill::kube
