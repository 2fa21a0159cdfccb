#include "waybill/template/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "waybill/template/definition_parser.h"
#include "waybill/template/quoting.h"
#include "waybill/template/runes.h"

namespace waybill::gotemplate {

// ---- tokens

Item DefinitionParser::next() {
  if (peek_count_ > 0) {
    --peek_count_;
  } else {
    items_[0] = shared_.lexer.next();
  }
  return items_[static_cast<std::size_t>(peek_count_)];
}

const Item& DefinitionParser::peek() {
  if (peek_count_ == 0) {
    peek_count_ = 1;
    items_[0] = shared_.lexer.next();
  }
  return items_[static_cast<std::size_t>(peek_count_ - 1)];
}

Item DefinitionParser::next_non_space() {
  for (;;) {
    Item item = next();
    if (item.token != Token::kSpace) return item;
  }
}

const Item& DefinitionParser::peek_non_space() {
  next_non_space();
  back();
  return peek();
}

void DefinitionParser::back_two(Item first) {
  items_[1] = std::move(first);
  peek_count_ = 2;
}

void DefinitionParser::back_three(Item first, Item second) {
  items_[1] = std::move(second);
  items_[2] = std::move(first);
  peek_count_ = 3;
}

Item DefinitionParser::expect(Token token, std::string_view context) {
  Item item = next_non_space();
  if (item.token != token) unexpected(item, context);
  return item;
}

// The line is that of the token read last, as Go has it; the column is ours: that of the culprit if it is
// known.
void DefinitionParser::fail(const std::string& message, const Item* culprit) const {
  const Item& last = items_[0];
  const std::string& name = shared_.tree->name;
  Position at = position_of(shared_.tree->text, culprit == nullptr ? last.position : culprit->position);
  if (at.line != last.line) at = {last.line, 1};
  throw Mistake{{fmt::format("template: {}:{}: {}", name, last.line, message), at}};
}

void DefinitionParser::unexpected(const Item& item, std::string_view context) const {
  if (item.token != Token::kError) fail(fmt::format("unexpected {} in {}", item.described(), context), &item);
  if (action_line_ == 0 || action_line_ == item.line) fail(item.text);
  const std::string_view joint = item.text.ends_with(" action") ? "" : " in action";
  fail(fmt::format("{}{} started at {}:{}", item.text, joint, shared_.tree->name, action_line_));
}

// ---- statements

namespace {

bool is_empty(const NodeList& nodes) {
  return std::all_of(nodes.begin(), nodes.end(), [](const NodePtr& node) {
    if (node->kind != NodeKind::kText) return false;
    std::string_view text = static_cast<const TextNode&>(*node).text;
    while (!text.empty()) {
      const Decoded decoded = decode_rune(text);
      if (!is_space(decoded.rune)) return false;
      text.remove_prefix(decoded.width);
    }
    return true;
  });
}

}  // namespace

// Of two definitions of one name, one must be empty; the other one counts.
void DefinitionParser::add(NodeList nodes) {
  auto& definitions = shared_.tree->definitions;
  const auto old = std::find_if(definitions.begin(), definitions.end(),
                                [this](const auto& definition) { return definition->name == name_; });
  if (old == definitions.end()) {
    definitions.push_back(std::make_unique<Definition>(Definition{name_, std::move(nodes)}));
  } else if (is_empty((*old)->nodes)) {
    (*old)->nodes = std::move(nodes);
  } else if (!is_empty(nodes)) {
    fail("template: multiple definition of template " + quoted(name_));
  }
}

void DefinitionParser::parse_main() {
  NodeList nodes;
  while (peek().token != Token::kEof) {
    if (peek().token == Token::kLeftDelimiter) {
      Item delimiter = next();
      if (next_non_space().token == Token::kDefine) {
        DefinitionParser(shared_, "definition").parse_definition();
        continue;
      }
      back_two(std::move(delimiter));
    }
    End end;
    NodePtr node = parse_node(end);
    if (!node) fail(fmt::format("unexpected {}", end.text()));
    nodes.push_back(std::move(node));
  }
  add(std::move(nodes));
}

void DefinitionParser::parse_definition() {
  constexpr std::string_view kContext = "define clause";
  const Item name = next_non_space();
  name_ = parse_name(name, kContext);
  expect(Token::kRightDelimiter, kContext);
  NodeList nodes;
  const End end = parse_list(nodes);
  if (end.is_else) fail(fmt::format("unexpected {} in {}", end.text(), kContext));
  add(std::move(nodes));
}

End DefinitionParser::parse_list(NodeList& list) {
  peek_non_space();  // so that there is a line for an error
  const Nested nested(*this);
  while (peek_non_space().token != Token::kEof) {
    End end;
    NodePtr node = parse_node(end);
    if (!node) return end;
    list.push_back(std::move(node));
  }
  fail("unexpected EOF");
}

NodePtr DefinitionParser::parse_node(End& end) {
  const Item item = next_non_space();
  if (item.token == Token::kText) return std::make_unique<TextNode>(item.position, item.text);
  if (item.token != Token::kLeftDelimiter) unexpected(item, "input");
  action_line_ = item.line;
  NodePtr node = parse_action(end);
  action_line_ = 0;
  return node;
}

NodePtr DefinitionParser::parse_action(End& end) {
  const Item item = next_non_space();
  switch (item.token) {
    case Token::kBlock:
      return parse_block();
    case Token::kBreak:
      return parse_loop_exit(item, NodeKind::kBreak, "{{break}}");
    case Token::kContinue:
      return parse_loop_exit(item, NodeKind::kContinue, "{{continue}}");
    case Token::kElse:
      end = parse_else();
      return nullptr;
    case Token::kEnd:
      end = {false, expect(Token::kRightDelimiter, "end").position};
      return nullptr;
    case Token::kIf:
      return parse_branch(NodeKind::kIf, "if");
    case Token::kRange:
      return parse_branch(NodeKind::kRange, "range");
    case Token::kTemplate:
      return parse_template();
    case Token::kWith:
      return parse_branch(NodeKind::kWith, "with");
    default:
      break;
  }
  back();
  const std::size_t position = peek().position;
  return std::make_unique<ActionNode>(position, parse_pipe("command", Token::kRightDelimiter));
}

NodePtr DefinitionParser::parse_loop_exit(const Item& keyword, NodeKind kind, std::string_view what) {
  const Item item = next_non_space();
  if (item.token != Token::kRightDelimiter) unexpected(item, what);
  if (range_depth_ == 0) fail(fmt::format("{} outside {{{{range}}}}", what));
  return std::make_unique<Node>(kind, keyword.position);
}

// "else if" and "else with" only look at their keyword; parse_branch goes on from there.
End DefinitionParser::parse_else() {
  const Item& item = peek_non_space();
  if (item.token == Token::kIf || item.token == Token::kWith) return {true, item.position};
  return {true, expect(Token::kRightDelimiter, "else").position};
}

NodePtr DefinitionParser::parse_branch(NodeKind kind, std::string_view context) {
  const std::size_t variables = variables_.size();
  auto pipe = parse_pipe(context, Token::kRightDelimiter);
  auto branch = std::make_unique<BranchNode>(kind, pipe->position);
  branch->pipe = std::move(pipe);
  if (kind == NodeKind::kRange) ++range_depth_;
  const End end = parse_list(branch->body);
  if (kind == NodeKind::kRange) --range_depth_;
  if (end.is_else) {
    branch->otherwise.emplace();
    const Token chained = kind == NodeKind::kIf     ? Token::kIf
                          : kind == NodeKind::kWith ? Token::kWith
                                                    : Token::kError;
    if (chained != Token::kError && peek().token == chained) {
      next();
      const Nested nested(*this);
      branch->otherwise->push_back(parse_branch(kind, context));
    } else if (const End last = parse_list(*branch->otherwise); last.is_else) {
      fail(fmt::format("expected end; found {}", last.text()));
    }
  }
  variables_.resize(variables);
  return branch;
}

// Defines a template and calls it where it stands.
NodePtr DefinitionParser::parse_block() {
  constexpr std::string_view kContext = "block clause";
  const Item item = next_non_space();
  auto node = std::make_unique<TemplateNode>(item.position, parse_name(item, kContext));
  node->pipe = parse_pipe(kContext, Token::kRightDelimiter);
  DefinitionParser block(shared_, node->name);
  NodeList nodes;
  const End end = block.parse_list(nodes);
  if (end.is_else) fail(fmt::format("unexpected {} in {}", end.text(), kContext));
  block.add(std::move(nodes));
  return node;
}

NodePtr DefinitionParser::parse_template() {
  constexpr std::string_view kContext = "template clause";
  const Item item = next_non_space();
  auto node = std::make_unique<TemplateNode>(item.position, parse_name(item, kContext));
  if (next_non_space().token != Token::kRightDelimiter) {
    back();
    node->pipe = parse_pipe(kContext, Token::kRightDelimiter);
  }
  return node;
}

std::string DefinitionParser::parse_name(const Item& item, std::string_view context) const {
  if (item.token != Token::kString && item.token != Token::kRawString) unexpected(item, context);
  return unquote(item);
}

// ---- the whole text

namespace {

void link(const Tree& tree, NodeList& nodes) {
  for (NodePtr& node : nodes) {
    if (node->kind == NodeKind::kTemplate) {
      auto& call = static_cast<TemplateNode&>(*node);
      call.definition = tree.find(call.name);
    } else if (node->kind == NodeKind::kIf || node->kind == NodeKind::kWith ||
               node->kind == NodeKind::kRange) {
      auto& branch = static_cast<BranchNode&>(*node);
      link(tree, branch.body);
      if (branch.otherwise) link(tree, *branch.otherwise);
    }
  }
}

}  // namespace

std::unique_ptr<const Tree> parse_tree(std::string_view name, std::string_view text, ParseError& mistake) {
  Shared shared(text);
  shared.tree->name = name;
  shared.tree->text = text;
  try {
    DefinitionParser(shared, std::string(name)).parse_main();
  } catch (Mistake& found) {
    mistake = std::move(found.error);
    return nullptr;
  }
  for (auto& definition : shared.tree->definitions) link(*shared.tree, definition->nodes);
  shared.tree->main = shared.tree->find(name);
  return std::move(shared.tree);
}

}  // namespace waybill::gotemplate
