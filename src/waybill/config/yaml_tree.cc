#include "waybill/config/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "waybill/base/json.h"
#include "waybill/config/yaml_position.h"

namespace waybill::config {
namespace {

// Ends the parse from inside a handler; caught in parse_yaml.
struct Refused {
  YAML::Mark mark;
  std::string text;
};

// How much a node is with its aliases unfolded.
struct Size {
  std::size_t nodes = 1;
  std::size_t bytes = 0;
};

class Builder : public YAML::EventHandler {
 public:
  Builder(std::string_view source, std::vector<YamlMistake>& mistakes)
      : source_(source), mistakes_(mistakes) {}

  [[nodiscard]] YamlPtr root() const { return root_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) throw Refused{mark, "a second document begins here: a file holds one"};
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(make(YamlNode::Kind::kNull, written_null(mark)), anchor, {});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) throw Refused{mark, "this alias refers to what it is a part of"};
    place(found->second.first, found->second.second, mark);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    std::shared_ptr<YamlNode> node = make(YamlNode::Kind::kScalar, mark);
    node->tag = tag;
    node->text = value;
    if (!is_clean_utf8(value)) throw Refused{mark, "the text holds U+0000, which is not allowed"};
    if (!is_closed_scalar(source_, *node)) throw Refused{mark, "the quote that begins here is never closed"};
    add(node, anchor, {1, value.size()});
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(make(YamlNode::Kind::kList, mark), anchor, mark);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(make(YamlNode::Kind::kMap, mark), anchor, mark);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    std::shared_ptr<YamlNode> node;
    YAML::anchor_t anchor;
    YAML::Mark mark;
    Size size;
    std::optional<YamlPtr> key;  // of a mapping: waits for its value; null: an unusable key
  };

  static std::shared_ptr<YamlNode> make(YamlNode::Kind kind, const YAML::Mark& mark) {
    auto node = std::make_shared<YamlNode>();
    node->kind = kind;
    node->line = mark.line + 1;
    node->col = mark.column + 1;
    node->offset = static_cast<std::size_t>(std::max(0, mark.pos));
    return node;
  }

  // yaml-cpp says that what isn't there stands where the next token does: we want what stands before it.
  [[nodiscard]] YAML::Mark written_null(YAML::Mark mark) const {
    const auto pos = static_cast<std::size_t>(std::max(0, mark.pos));
    if (pos < source_.size() && (source_[pos] == '~' || (source_[pos] | 0x20) == 'n')) return mark;
    const std::size_t last = source_.substr(0, pos).find_last_not_of(" \t\r\n");
    if (last == std::string_view::npos) return mark;
    const std::size_t line_end = source_.rfind('\n', last);
    const std::size_t line_start = line_end == std::string_view::npos ? 0 : line_end + 1;
    const std::string_view skipped = source_.substr(line_start, pos - line_start);
    mark.line -= static_cast<int>(std::count(skipped.begin(), skipped.end(), '\n'));
    mark.column = static_cast<int>(last - line_start);
    mark.pos = static_cast<int>(last);
    return mark;
  }

  void open(std::shared_ptr<YamlNode> node, YAML::anchor_t anchor, const YAML::Mark& mark) {
    if (open_.size() >= kMaxYamlDepth) {
      throw Refused{mark, "it is nested deeper than " + std::to_string(kMaxYamlDepth) + " levels"};
    }
    open_.push_back({std::move(node), anchor, mark, {}, std::nullopt});
  }

  void close() {
    Frame done = std::move(open_.back());
    open_.pop_back();
    if (done.node->kind == YamlNode::Kind::kMap) merge(*done.node);
    add(done.node, done.anchor, done.size);
  }

  void add(const YamlPtr& node, YAML::anchor_t anchor, Size size) {
    if (anchor != YAML::NullAnchor) anchors_[anchor] = {node, size};
    YAML::Mark mark;
    mark.line = node->line - 1;
    mark.column = node->col - 1;
    place(node, size, mark);
  }

  void place(const YamlPtr& node, Size size, const YAML::Mark& mark) {
    if (open_.empty()) {
      root_ = node;
      return;
    }
    Frame& parent = open_.back();
    parent.size.nodes += size.nodes;
    parent.size.bytes += size.bytes;
    if (parent.size.nodes > kMaxYamlNodes || parent.size.bytes > kMaxYamlUnfolded) {
      throw Refused{mark, "it unfolds to more than " + std::to_string(kMaxYamlNodes) + " values or 32 MiB"};
    }
    if (parent.node->kind == YamlNode::Kind::kList) {
      parent.node->items.push_back(node);
    } else if (!parent.key) {
      parent.key = usable_key(node, mark);
    } else {
      if (*parent.key) parent.node->members.push_back({*parent.key, node, (*parent.key)->text});
      parent.key.reset();
    }
  }

  YamlPtr usable_key(const YamlPtr& node, const YAML::Mark& mark) {
    if (node->kind == YamlNode::Kind::kScalar) return node;
    mistakes_.push_back({mark.line + 1, mark.column + 1, "", "a key must be a text"});
    return nullptr;
  }

  // "<<": what another mapping (or several) holds and this one does not. As yaml.v3: the nearer wins.
  void merge(YamlNode& map) {
    const auto is_merge = [](const YamlNode::Member& m) { return m.name == "<<" && m.key->tag == "?"; };
    std::vector<YamlNode::Member> merges;
    std::copy_if(map.members.begin(), map.members.end(), std::back_inserter(merges), is_merge);
    if (merges.empty()) return;
    std::erase_if(map.members, is_merge);
    std::set<std::string> names;
    for (const YamlNode::Member& member : map.members) names.insert(member.name);
    for (const YamlNode::Member& one : merges) {
      const bool list = one.value->kind == YamlNode::Kind::kList;
      for (const YamlPtr& from : list ? one.value->items : std::vector<YamlPtr>{one.value}) {
        if (from->kind != YamlNode::Kind::kMap) {
          mistakes_.push_back({one.key->line, one.key->col, "", "<< takes a mapping or a list of mappings"});
          continue;
        }
        for (const YamlNode::Member& member : from->members) {
          if (names.insert(member.name).second) map.members.push_back(member);
        }
      }
    }
  }

  std::string_view source_;
  std::vector<YamlMistake>& mistakes_;
  YamlPtr root_;
  std::vector<Frame> open_;
  std::map<YAML::anchor_t, std::pair<YamlPtr, Size>> anchors_;
  int documents_ = 0;
};

// Where a byte of a text stands.
YamlMistake mistake_at(std::string_view text, std::size_t offset, std::string what) {
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return {static_cast<int>(line), static_cast<int>(offset - start + 1), "", std::move(what)};
}

std::optional<YamlMistake> bad_byte(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f) {
      return mistake_at(text, i, "a control character is not allowed here");
    }
    const std::size_t length = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    if (c >= 0x80 && !is_clean_utf8(text.substr(i, length))) {
      return mistake_at(text, i, "this is not UTF-8: a configuration must be");
    }
    i += length;
  }
  return std::nullopt;
}

std::string syntax_text(std::string_view source, const YAML::Exception& failure) {
  std::string text = "not valid YAML: " + failure.msg;
  std::size_t start = 0;
  for (int line = 0; line < failure.mark.line && start != std::string_view::npos; ++line) {
    const std::size_t end = source.find('\n', start);
    start = end == std::string_view::npos ? end : end + 1;
  }
  if (start == std::string_view::npos) return text;
  const std::size_t word = source.find_first_not_of(" \t", start);
  if (source.substr(start, word - start).find('\t') != std::string_view::npos) {
    text += " (a tab can't indent in YAML: use spaces)";
  }
  return text;
}

void find_doubled_keys(const YamlNode& node, const std::string& path, std::set<const YamlNode*>& seen,
                       std::vector<YamlMistake>& mistakes) {
  if (!seen.insert(&node).second) return;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    find_doubled_keys(*node.items[i], item_path(path, i), seen, mistakes);
  }
  std::map<std::string_view, int> lines;
  for (const YamlNode::Member& member : node.members) {
    const std::string member_path = join_path(path, member.name);
    const auto [first, is_new] = lines.emplace(member.name, member.key->line);
    if (!is_new) {
      mistakes.push_back({member.key->line, member.key->col, member_path,
                          "the key is here for the second time (first in line " +
                              std::to_string(first->second) + "): write it once"});
    }
    find_doubled_keys(*member.value, member_path, seen, mistakes);
  }
}

}  // namespace

const YamlNode::Member* YamlNode::find(std::string_view name) const {
  const auto found =
      std::find_if(members.begin(), members.end(), [&](const Member& m) { return m.name == name; });
  return found == members.end() ? nullptr : &*found;
}

YamlDocument parse_yaml(const std::string& text) {
  YamlDocument document;
  if (text.size() > kMaxYamlBytes) {
    document.mistakes.push_back({0, 0, "",
                                 "the file has " + std::to_string(text.size()) + " bytes: at most " +
                                     std::to_string(kMaxYamlBytes) + " are read"});
    return document;
  }
  if (std::optional<YamlMistake> bad = bad_byte(text)) {
    document.mistakes.push_back(*std::move(bad));
    return document;
  }
  Builder builder(text, document.mistakes);
  try {
    std::istringstream in(text);
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
    document.root = builder.root();
  } catch (const Refused& refused) {
    document.mistakes.push_back({refused.mark.line + 1, refused.mark.column + 1, "", refused.text});
  } catch (const YAML::Exception& failure) {
    document.mistakes.push_back(
        {failure.mark.line + 1, failure.mark.column + 1, "", syntax_text(text, failure)});
  } catch (const std::exception& failure) {
    document.mistakes.push_back({0, 0, "", std::string("not valid YAML: ") + failure.what()});
  }
  if (document.root) {
    std::set<const YamlNode*> seen;
    find_doubled_keys(*document.root, "", seen, document.mistakes);
  }
  return document;
}

std::string join_path(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : std::string(path) + "." + std::string(name);
}

std::string item_path(std::string_view path, std::size_t index) {
  return std::string(path) + "[" + std::to_string(index) + "]";
}

}  // namespace waybill::config
