#include <fmt/format.h>

#include "waybill/template/evaluator.h"
#include "waybill/template/job_fields.h"
#include "waybill/template/print.h"
#include "waybill/template/quoting.h"

// Expressions: pipelines, commands, chains of fields and constants.
namespace waybill::gotemplate {

Value Evaluator::pipe(const PipeNode& pipe, const Value& dot) {
  at(pipe);
  Value value;
  const Value* final = nullptr;
  Value piped;
  for (const auto& stage : pipe.commands) {
    value = command(*stage, dot, final).unboxed();
    piped = value;
    final = &piped;
  }
  for (const std::string& name : pipe.variables) {
    if (pipe.assigns) {
      variable(name) = value;
    } else {
      variables_.push_back({name, value});
    }
  }
  return value;
}

void Evaluator::refuse_arguments(std::span<const NodePtr> arguments, const Value* final) {
  if (arguments.size() <= 1 && final == nullptr) return;
  fail("can't give argument to non-function " + to_string(*arguments[0]));
}

Value Evaluator::command(const CommandNode& command, const Value& dot, const Value* final) {
  const std::span<const NodePtr> arguments(command.arguments);
  const Node& first = *arguments[0];
  switch (first.kind) {
    case NodeKind::kField:
    case NodeKind::kVariable:
    case NodeKind::kChain:
      return chain(static_cast<const FieldChain&>(first), dot, arguments, final);
    case NodeKind::kIdentifier:
      return call(static_cast<const IdentifierNode&>(first), command, dot, arguments.subspan(1), final);
    case NodeKind::kPipe: {
      refuse_arguments(arguments, final);
      return parenthesized(static_cast<const PipeNode&>(first), dot);
    }
    default:
      break;
  }
  at(first);
  refuse_arguments(arguments, final);
  switch (first.kind) {
    case NodeKind::kBool:
      return Value::of(static_cast<const BoolNode&>(first).value);
    case NodeKind::kDot:
      return dot;
    case NodeKind::kNumber:
      return constant(static_cast<const NumberNode&>(first));
    case NodeKind::kString:
      return Value::of(std::string_view(static_cast<const StringNode&>(first).text));
    default:
      fail("nil is not a command");
  }
}

Value Evaluator::chain(const FieldChain& chain, const Value& dot, std::span<const NodePtr> arguments,
                       const Value* final) {
  at(chain);
  Value receiver = dot;
  if (chain.kind == NodeKind::kVariable) {
    receiver = variable(chain.variable);
    if (chain.names.empty()) refuse_arguments(arguments, final);
  } else if (chain.kind == NodeKind::kChain) {
    receiver = argument(*chain.term, Parameter::kNone, dot);
  }
  const bool called = arguments.size() > 1 || final != nullptr;
  for (std::size_t i = 0; i < chain.names.size(); ++i) {
    receiver = field(receiver, chain.names[i], called && i + 1 == chain.names.size());
  }
  return receiver;
}

Value Evaluator::field(const Value& receiver, const FieldName& name, bool has_arguments) {
  if (receiver.is_nil()) {
    if (!receiver.boxed) fail("nil data; no entry for key " + quoted(name.name));
    fail("nil pointer evaluating interface {}." + name.name);
  }
  if (receiver.is_struct()) {
    const int number = receiver.kind == Kind::kJob ? name.job_field : name.root_field;
    if (number >= 0) {
      if (has_arguments) fail(name.name + " has arguments but cannot be invoked as function");
      return field_value(receiver, number);
    }
  } else if (receiver.is_map()) {
    if (has_arguments) fail(name.name + " is not a method but has arguments");
    Value found;
    if (receiver.lookup(name.name, found)) return found;
    fail("map has no entry for key " + quoted(name.name));
  }
  fail(fmt::format("can't evaluate field {} in type {}", name.name, static_type(receiver)));
}

// A number where no type is asked for: its syntax decides.
Value Evaluator::constant(const NumberNode& node) {
  at(node);
  const Number& number = node.number;
  if (number.written_as_real && number.real) return Value::of(*number.real);
  if (number.integer) return Value::of(*number.integer);
  if (number.unsigned_integer) fail(node.text + " overflows int");
  return {};
}

}  // namespace waybill::gotemplate
