#include <fmt/format.h>

#include "waybill/template/evaluator.h"
#include "waybill/template/print.h"

// Calls of functions: counting, evaluating and converting their arguments.
namespace waybill::gotemplate {

Value Evaluator::call(const IdentifierNode& node, const Node& whole, const Value& dot,
                      std::span<const NodePtr> arguments, const Value* final) {
  at(node);
  const FunctionEntry& function = *node.function;
  check_count(function, arguments.size(), final != nullptr);
  if (is_and(function) || is_or(function)) return logic(function, dot, arguments, final);
  absl::InlinedVector<Value, 5> values;
  for (const NodePtr& source : arguments) {
    values.push_back(argument(*source, function.parameter(values.size()), dot));
  }
  if (final != nullptr) values.push_back(converted(*final, function.parameter(values.size())));
  if (is_call(function))
    call_value(function, whole, values[0], arguments.empty() ? nullptr : arguments[0].get());
  return invoke(function, whole, values);
}

void Evaluator::check_count(const FunctionEntry& function, std::size_t written, bool piped) {
  const std::size_t given = written + (piped ? 1 : 0);
  const std::size_t fixed = function.fixed_count();
  if (function.is_variadic()) {
    if (given >= fixed) return;
    fail(fmt::format("wrong number of args for {}: want at least {} got {}", function.name, fixed, written));
  }
  if (given == fixed) return;
  fail(fmt::format("wrong number of args for {}: want {} got {}", function.name, fixed, given));
}

Value Evaluator::invoke(const FunctionEntry& function, const Node& whole, std::span<const Value> arguments) {
  try {
    return function.call(work_, arguments);
  } catch (const FunctionError& error) {
    fail_call(function, whole, error.what);
  } catch (const Exhausted&) {
    at(whole);
    throw;
  }
}

void Evaluator::fail_call(const FunctionEntry& function, const Node& whole, std::string_view what) {
  at(whole);
  fail(fmt::format("error calling {}: {}", function.name, what));
}

// and stops at the first false value, or at the first true one; otherwise it is the last.
Value Evaluator::logic(const FunctionEntry& function, const Value& dot, std::span<const NodePtr> arguments,
                       const Value* final) {
  const bool stops_at = is_or(function);
  Value value;
  for (const NodePtr& source : arguments) {
    value = argument(*source, Parameter::kValue, dot);
    if (truth(value) == stops_at) return value;
  }
  return final == nullptr ? value : *final;
}

// Nothing that templates can get hold of is a function, so call always fails.
void Evaluator::call_value(const FunctionEntry& function, const Node& whole, const Value& callee,
                           const Node* source) {
  if (callee.is_nil()) fail_call(function, whole, "call of nil");
  std::string name;
  if (source != nullptr) {
    name = to_string(*source);
  } else if (callee.kind == Kind::kString) {
    name = callee.string();
  } else {
    name = fmt::format("<{} Value>", concrete_type(callee));
  }
  fail_call(function, whole, fmt::format("non-function {} of type {}", name, concrete_type(callee)));
}

Value Evaluator::parenthesized(const PipeNode& source, const Value& dot) {
  ++calls_;
  ++nesting_;
  check_nesting();
  const Value value = pipe(source, dot);
  --calls_;
  --nesting_;
  return value;
}

Value Evaluator::argument(const Node& node, Parameter type, const Value& dot) {
  at(node);
  switch (node.kind) {
    case NodeKind::kDot:
      return converted(dot, type);
    case NodeKind::kNil:
      if (type == Parameter::kValue || type == Parameter::kAny || type == Parameter::kMap)
        return converted({}, type);
      fail(fmt::format("cannot assign nil to {}", type_name(type)));
    case NodeKind::kField:
    case NodeKind::kVariable:
    case NodeKind::kChain:
      return converted(chain(static_cast<const FieldChain&>(node), dot, {}, nullptr), type);
    case NodeKind::kPipe:
      return converted(parenthesized(static_cast<const PipeNode&>(node), dot), type);
    case NodeKind::kIdentifier:
      return converted(call(static_cast<const IdentifierNode&>(node), node, dot, {}, nullptr), type);
    default:
      return literal(node, type);
  }
}

// A literal must be written as what the parameter wants; where anything goes, its syntax decides.
Value Evaluator::literal(const Node& node, Parameter type) {
  switch (type) {
    case Parameter::kBool:
      if (node.kind == NodeKind::kBool) return Value::of(static_cast<const BoolNode&>(node).value);
      fail("expected bool; found " + to_string(node));
    case Parameter::kInt:
      if (node.kind == NodeKind::kNumber) {
        if (const auto& number = static_cast<const NumberNode&>(node).number; number.integer) {
          return Value::of(*number.integer);
        }
      }
      fail("expected integer; found " + to_string(node));
    case Parameter::kString:
      if (node.kind == NodeKind::kString) {
        return Value::of(std::string_view(static_cast<const StringNode&>(node).text));
      }
      fail("expected string; found " + to_string(node));
    case Parameter::kMap:
      fail(fmt::format("can't handle {} for arg of type {}", to_string(node), type_name(type)));
    case Parameter::kValue:
    case Parameter::kAny:
    case Parameter::kNone:
      break;
  }
  switch (node.kind) {
    case NodeKind::kBool:
      return Value::of(static_cast<const BoolNode&>(node).value);
    case NodeKind::kString:
      return Value::of(std::string_view(static_cast<const StringNode&>(node).text));
    default:
      return constant(static_cast<const NumberNode&>(node));
  }
}

namespace {

bool fits(const Value& value, Parameter type) {
  switch (type) {
    case Parameter::kString:
      return value.kind == Kind::kString;
    case Parameter::kInt:
      return value.kind == Kind::kInt;
    case Parameter::kBool:
      return value.kind == Kind::kBool;
    case Parameter::kMap:
      return value.is_map();
    default:
      return true;
  }
}

}  // namespace

Value Evaluator::converted(Value value, Parameter type) {
  if (type == Parameter::kValue || type == Parameter::kNone) return value;
  if (type == Parameter::kAny) return value.unboxed();
  if (value.is_nil() && !value.boxed) {
    if (type == Parameter::kMap) return value;  // counts as an empty map
    fail(fmt::format("invalid value; expected {}", type_name(type)));
  }
  if (!value.is_nil() && fits(value, type)) return value.unboxed();
  const std::string_view got = value.is_nil() ? static_type(value) : concrete_type(value);
  fail(fmt::format("wrong type for value; expected {}; got {}", type_name(type), got));
}

}  // namespace waybill::gotemplate
