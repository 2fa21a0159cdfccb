#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// A YAML document as a tree that knows where each part stood. yaml-cpp parses; this keeps the positions, the
// tags and doubled keys that its own nodes lose, and bounds what aliases may unfold to.
namespace waybill::config {

struct YamlNode;
using YamlPtr = std::shared_ptr<const YamlNode>;  // shared: an alias is the same node

struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  struct Member {
    YamlPtr key;  // a scalar
    YamlPtr value;
    std::string name;  // the key's text
  };

  Kind kind = Kind::kNull;
  int line = 0;  // from 1
  int col = 0;   // from 1, in bytes
  std::size_t offset = 0;
  std::string tag;              // of a scalar: "?" plain, "!" quoted or block, else the tag
  std::string text;             // of a scalar
  std::vector<YamlPtr> items;   // of a list
  std::vector<Member> members;  // of a mapping, as written; "<<" is merged in

  [[nodiscard]] const Member* find(std::string_view name) const;
};

struct YamlMistake {
  int line = 0;
  int col = 0;
  std::string path;  // where it is known
  std::string text;
};

struct YamlDocument {
  YamlPtr root;  // null: the text is empty, or not YAML
  std::vector<YamlMistake> mistakes;
};

inline constexpr std::size_t kMaxYamlBytes = 4 << 20;
inline constexpr std::size_t kMaxYamlNodes = 100'000;       // with aliases unfolded
inline constexpr std::size_t kMaxYamlUnfolded = 32u << 20;  // bytes of text, with aliases unfolded
inline constexpr std::size_t kMaxYamlDepth = 64;

// One document. Never throws.
[[nodiscard]] YamlDocument parse_yaml(const std::string& text);

// "name" or "path.name".
[[nodiscard]] std::string join_path(std::string_view path, std::string_view name);
[[nodiscard]] std::string item_path(std::string_view path, std::size_t index);

}  // namespace waybill::config
