#include "waybill/template/tree.h"

#include <algorithm>

#include "waybill/template/functions/table.h"
#include "waybill/template/job_fields.h"
#include "waybill/template/quoting.h"

namespace waybill::gotemplate {
namespace {

void write(std::string& out, const Node& node);

void write_operand(std::string& out, const Node& node) {
  const bool parenthesized = node.kind == NodeKind::kPipe;
  if (parenthesized) out.push_back('(');
  write(out, node);
  if (parenthesized) out.push_back(')');
}

void write_pipe(std::string& out, const PipeNode& pipe) {
  for (std::size_t i = 0; i < pipe.variables.size(); ++i) {
    if (i > 0) out += ", ";
    out += pipe.variables[i];
  }
  if (!pipe.variables.empty()) out += pipe.assigns ? " = " : " := ";
  for (std::size_t i = 0; i < pipe.commands.size(); ++i) {
    if (i > 0) out += " | ";
    write(out, *pipe.commands[i]);
  }
}

void write_command(std::string& out, const CommandNode& command) {
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    if (i > 0) out.push_back(' ');
    write_operand(out, *command.arguments[i]);
  }
}

void write_chain(std::string& out, const FieldChain& chain) {
  if (chain.kind == NodeKind::kChain) write_operand(out, *chain.term);
  out += chain.variable;
  for (const FieldName& field : chain.names) {
    out.push_back('.');
    out += field.name;
  }
}

void write_list(std::string& out, const NodeList& list) {
  for (const NodePtr& node : list) write(out, *node);
}

void write_branch(std::string& out, const BranchNode& branch) {
  out += branch.kind == NodeKind::kIf ? "{{if " : branch.kind == NodeKind::kWith ? "{{with " : "{{range ";
  write_pipe(out, *branch.pipe);
  out += "}}";
  write_list(out, branch.body);
  if (branch.otherwise) {
    out += "{{else}}";
    write_list(out, *branch.otherwise);
  }
  out += "{{end}}";
}

void write_template(std::string& out, const TemplateNode& node) {
  out += "{{template ";
  append_quoted(out, node.name);
  if (node.pipe) {
    out.push_back(' ');
    write_pipe(out, *node.pipe);
  }
  out += "}}";
}

void write(std::string& out, const Node& node) {
  switch (node.kind) {
    case NodeKind::kText:
      out += static_cast<const TextNode&>(node).text;
      return;
    case NodeKind::kAction:
      out += "{{";
      write_pipe(out, *static_cast<const ActionNode&>(node).pipe);
      out += "}}";
      return;
    case NodeKind::kIf:
    case NodeKind::kWith:
    case NodeKind::kRange:
      return write_branch(out, static_cast<const BranchNode&>(node));
    case NodeKind::kTemplate:
      return write_template(out, static_cast<const TemplateNode&>(node));
    case NodeKind::kBreak:
      out += "{{break}}";
      return;
    case NodeKind::kContinue:
      out += "{{continue}}";
      return;
    case NodeKind::kPipe:
      return write_pipe(out, static_cast<const PipeNode&>(node));
    case NodeKind::kCommand:
      return write_command(out, static_cast<const CommandNode&>(node));
    case NodeKind::kField:
    case NodeKind::kVariable:
    case NodeKind::kChain:
      return write_chain(out, static_cast<const FieldChain&>(node));
    case NodeKind::kIdentifier:
      out += static_cast<const IdentifierNode&>(node).function->name;
      return;
    case NodeKind::kDot:
      out.push_back('.');
      return;
    case NodeKind::kNil:
      out += "nil";
      return;
    case NodeKind::kBool:
      out += static_cast<const BoolNode&>(node).value ? "true" : "false";
      return;
    case NodeKind::kNumber:
      out += static_cast<const NumberNode&>(node).text;
      return;
    case NodeKind::kString:
      out += static_cast<const StringNode&>(node).literal;
      return;
  }
}

}  // namespace

FieldName::FieldName(std::string_view text)
    : name(text), root_field(find_root_field(text)), job_field(find_job_field(text)) {}

const Definition* Tree::find(std::string_view wanted) const {
  for (const auto& definition : definitions) {
    if (definition->name == wanted) return definition.get();
  }
  return nullptr;
}

std::string to_string(const Node& node) {
  std::string out;
  write(out, node);
  return out;
}

Position position_of(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte);
  const std::size_t newline = before.rfind('\n');
  const std::size_t line_start = newline == std::string_view::npos ? 0 : newline + 1;
  return {1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')),
          1 + static_cast<int>(before.size() - line_start)};
}

}  // namespace waybill::gotemplate
