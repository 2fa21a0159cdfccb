#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "waybill/template/definition_parser.h"
#include "waybill/template/functions/table.h"
#include "waybill/template/quoting.h"

// Pipelines, commands and their operands.
namespace waybill::gotemplate {

std::unique_ptr<PipeNode> DefinitionParser::parse_pipe(std::string_view context, Token end) {
  auto pipe = std::make_unique<PipeNode>(peek_non_space().position);
  parse_variables(*pipe, context);
  for (;;) {
    const Item item = next_non_space();
    if (item.token == end) {
      check_pipe(*pipe, context);
      return pipe;
    }
    switch (item.token) {
      case Token::kBool:
      case Token::kCharConstant:
      case Token::kComplex:
      case Token::kDot:
      case Token::kField:
      case Token::kIdentifier:
      case Token::kNumber:
      case Token::kNil:
      case Token::kRawString:
      case Token::kString:
      case Token::kVariable:
      case Token::kLeftParen:
        back();
        pipe->commands.push_back(parse_command());
        break;
      default:
        unexpected(item, context);
    }
  }
}

// Declarations and assignments at the start of a pipeline. A variable that is only used is put back.
void DefinitionParser::parse_variables(PipeNode& pipe, std::string_view context) {
  while (peek_non_space().token == Token::kVariable) {
    const Item variable = next();
    const Item after = peek();
    const Item sign = peek_non_space();
    const bool assigns = sign.token == Token::kAssign;
    const bool comma = sign.token == Token::kChar && sign.text == ",";
    if (!assigns && !comma && sign.token != Token::kDeclare) {
      return after.token == Token::kSpace ? back_three(variable, after) : back_two(variable);
    }
    next_non_space();
    pipe.variables.push_back(variable.text);
    variables_.push_back(variable.text);
    if (!comma) {
      pipe.assigns = assigns;
      return;
    }
    if (context != "range" || pipe.variables.size() >= 2)
      fail(fmt::format("too many declarations in {}", context));
    const Token second = peek_non_space().token;
    if (second == Token::kVariable) continue;
    if (second == Token::kRightDelimiter || second == Token::kRightParen) return;
    fail("range can only initialize variables");
  }
}

void DefinitionParser::check_pipe(const PipeNode& pipe, std::string_view context) const {
  if (pipe.commands.empty()) fail(fmt::format("missing value for {}", context));
  for (std::size_t i = 1; i < pipe.commands.size(); ++i) {
    switch (pipe.commands[i]->arguments[0]->kind) {
      case NodeKind::kBool:
      case NodeKind::kDot:
      case NodeKind::kNil:
      case NodeKind::kNumber:
      case NodeKind::kString:
        fail(fmt::format("non executable command in pipeline stage {}", i + 1));
      default:
        break;
    }
  }
}

std::unique_ptr<CommandNode> DefinitionParser::parse_command() {
  auto command = std::make_unique<CommandNode>(peek_non_space().position);
  for (;;) {
    peek_non_space();
    if (NodePtr operand = parse_operand()) command->arguments.push_back(std::move(operand));
    const Item item = next();
    if (item.token == Token::kSpace) continue;
    if (item.token == Token::kRightDelimiter || item.token == Token::kRightParen) {
      back();
    } else if (item.token != Token::kPipe) {
      unexpected(item, "operand");
    }
    break;
  }
  if (command->arguments.empty()) fail("empty command");
  return command;
}

NodePtr DefinitionParser::parse_operand() {
  const std::size_t start = peek_non_space().position;
  NodePtr term = parse_term();
  if (!term || peek().token != Token::kField) return term;
  return parse_fields(std::move(term), start);
}

// The fields behind a term. They join a field or variable; a chain holds any other term.
NodePtr DefinitionParser::parse_fields(NodePtr term, std::size_t start) {
  const std::size_t position = peek().position;
  std::vector<FieldName> names;
  while (peek().token == Token::kField) names.emplace_back(std::string_view(next().text).substr(1));
  std::unique_ptr<FieldChain> chain;
  switch (term->kind) {
    case NodeKind::kField:
    case NodeKind::kVariable:
      chain.reset(static_cast<FieldChain*>(term.release()));
      chain->position = position;
      break;
    case NodeKind::kBool:
    case NodeKind::kString:
    case NodeKind::kNumber:
    case NodeKind::kNil:
    case NodeKind::kDot:
      fail("unexpected . after term " + quoted(to_string(*term)));
    default:
      chain = std::make_unique<FieldChain>(NodeKind::kChain, position);
      chain->start = start;
      chain->term = std::move(term);
  }
  std::move(names.begin(), names.end(), std::back_inserter(chain->names));
  return chain;
}

NodePtr DefinitionParser::parse_term() {
  const Item item = next_non_space();
  switch (item.token) {
    case Token::kIdentifier: {
      const FunctionEntry* function = find_function(item.text);
      if (function == nullptr) fail(fmt::format("function {} not defined", quoted(item.text)), &item);
      return std::make_unique<IdentifierNode>(item.position, function);
    }
    case Token::kDot:
      return std::make_unique<Node>(NodeKind::kDot, item.position);
    case Token::kNil:
      return std::make_unique<Node>(NodeKind::kNil, item.position);
    case Token::kVariable: {
      const bool known = std::find(variables_.begin(), variables_.end(), item.text) != variables_.end();
      if (!known) fail("undefined variable " + quoted(item.text), &item);
      auto node = std::make_unique<FieldChain>(NodeKind::kVariable, item.position);
      node->start = item.position;
      node->variable = item.text;
      return node;
    }
    case Token::kField: {
      auto node = std::make_unique<FieldChain>(NodeKind::kField, item.position);
      node->start = item.position;
      node->names.emplace_back(std::string_view(item.text).substr(1));
      return node;
    }
    case Token::kBool:
      return std::make_unique<BoolNode>(item.position, item.text == "true");
    case Token::kCharConstant:
    case Token::kComplex:
    case Token::kNumber:
      return parse_number_node(item);
    case Token::kLeftParen: {
      const Nested nested(*this);
      return parse_pipe("parenthesized pipeline", Token::kRightParen);
    }
    case Token::kString:
    case Token::kRawString:
      return std::make_unique<StringNode>(item.position, item.text, unquote(item));
    default:
      back();
      return nullptr;
  }
}

NodePtr DefinitionParser::parse_number_node(const Item& item) const {
  Number number;
  if (item.token == Token::kCharConstant) {
    const CharLiteral literal = unquoted_char(item.text);
    if (literal.problem == CharLiteral::Problem::kSyntax) fail("invalid syntax", &item);
    if (literal.problem == CharLiteral::Problem::kMalformed) {
      fail("malformed character constant: " + item.text, &item);
    }
    number.integer = literal.rune;
    number.unsigned_integer = literal.rune;
    number.real = literal.rune;
  } else if (item.token == Token::kComplex) {
    number.complex = true;
  } else {
    const ParsedNumber parsed = parse_number(item.text);
    if (parsed.overflow) fail("integer overflow: " + quoted(item.text), &item);
    if (!parsed.number) fail("illegal number syntax: " + quoted(item.text), &item);
    number = *parsed.number;
  }
  return std::make_unique<NumberNode>(item.position, item.text, number);
}

std::string DefinitionParser::unquote(const Item& item) const {
  auto text = unquoted(item.text);
  if (!text) fail("invalid syntax", &item);
  return *std::move(text);
}

}  // namespace waybill::gotemplate
