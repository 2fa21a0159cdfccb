#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "waybill/template/numbers.h"
#include "waybill/template/template.h"

// What the parser builds: nodes that keep their place in the text, so that errors can say where.
namespace waybill::gotemplate {

struct FunctionEntry;

enum class NodeKind : std::uint8_t {
  // statements
  kText,
  kAction,
  kIf,
  kWith,
  kRange,
  kTemplate,
  kBreak,
  kContinue,
  // expressions
  kPipe,
  kCommand,
  kField,
  kVariable,
  kChain,
  kIdentifier,
  kDot,
  kNil,
  kBool,
  kNumber,
  kString,
};

struct Node {
  Node(NodeKind k, std::size_t at) : kind(k), position(at) {}
  virtual ~Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  NodeKind kind;
  std::size_t position;  // where Go says it is: a chain of fields at its second element
};

using NodePtr = std::unique_ptr<Node>;

// The name of a field, with what it means on the two objects that are no maps.
struct FieldName {
  explicit FieldName(std::string_view text);

  std::string name;
  int root_field;  // of Data, or -1
  int job_field;   // of JobView, or -1
};

// `.a.b` (names a, b), `$x.a` (variable $x, names a) or `(…).a` (term, names a).
struct FieldChain : Node {
  using Node::Node;
  std::size_t start = 0;  // of its first character
  std::string variable;   // of kVariable, with its dollar
  NodePtr term;           // of kChain
  std::vector<FieldName> names;
};

struct IdentifierNode : Node {
  IdentifierNode(std::size_t at, const FunctionEntry* f) : Node(NodeKind::kIdentifier, at), function(f) {}
  const FunctionEntry* function;
};

struct BoolNode : Node {
  BoolNode(std::size_t at, bool v) : Node(NodeKind::kBool, at), value(v) {}
  bool value;
};

struct NumberNode : Node {
  NumberNode(std::size_t at, std::string_view t, Number n)
      : Node(NodeKind::kNumber, at), text(t), number(n) {}
  std::string text;
  Number number;
};

struct StringNode : Node {
  StringNode(std::size_t at, std::string_view l, std::string t)
      : Node(NodeKind::kString, at), literal(l), text(std::move(t)) {}
  std::string literal;  // as written, with its quotes
  std::string text;
};

struct CommandNode : Node {
  explicit CommandNode(std::size_t at) : Node(NodeKind::kCommand, at) {}
  std::vector<NodePtr> arguments;  // at least one; the first is what is called or evaluated
};

struct PipeNode : Node {
  explicit PipeNode(std::size_t at) : Node(NodeKind::kPipe, at) {}
  std::vector<std::string> variables;  // declared, or assigned if `assigns`
  bool assigns = false;
  std::vector<std::unique_ptr<CommandNode>> commands;
};

using NodeList = std::vector<NodePtr>;

struct TextNode : Node {
  TextNode(std::size_t at, std::string t) : Node(NodeKind::kText, at), text(std::move(t)) {}
  std::string text;
};

struct ActionNode : Node {
  ActionNode(std::size_t at, std::unique_ptr<PipeNode> p) : Node(NodeKind::kAction, at), pipe(std::move(p)) {}
  std::unique_ptr<PipeNode> pipe;
};

// if, with and range.
struct BranchNode : Node {
  using Node::Node;
  std::unique_ptr<PipeNode> pipe;
  NodeList body;
  std::optional<NodeList> otherwise;
};

struct Definition;

struct TemplateNode : Node {
  TemplateNode(std::size_t at, std::string n) : Node(NodeKind::kTemplate, at), name(std::move(n)) {}
  std::string name;
  std::unique_ptr<PipeNode> pipe;          // may be null
  const Definition* definition = nullptr;  // null: not defined
};

// One template of a text: the main one, or one of {{define}} or {{block}}.
struct Definition {
  std::string name;
  NodeList nodes;
};

struct Tree {
  std::string name;
  std::string text;
  std::vector<std::unique_ptr<Definition>> definitions;
  const Definition* main = nullptr;

  [[nodiscard]] const Definition* find(std::string_view wanted) const;
};

// The source of a node, printed anew from the tree: single spaces, literals as written.
[[nodiscard]] std::string to_string(const Node& node);

// Line and column (in bytes) of a byte of the text, both from 1.
[[nodiscard]] Position position_of(std::string_view text, std::size_t byte);

}  // namespace waybill::gotemplate
