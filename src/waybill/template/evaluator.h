#pragma once

#include <absl/container/inlined_vector.h>

#include <span>
#include <string>
#include <string_view>

#include "waybill/template/functions/table.h"
#include "waybill/template/tree.h"
#include "waybill/template/value.h"
#include "waybill/template/workspace.h"

namespace waybill::gotemplate {

// Walks a tree over one set of data. The order in which nodes are visited is Go's, because an error names the
// node visited last.
class Evaluator {
 public:
  Evaluator(const Tree& tree, const Data& data, const Limits& limits);

  // The text, or InvalidArgument with Go's message, or ResourceExhausted.
  absl::StatusOr<std::string> run();

 private:
  // Ends the execution; stays within this class.
  struct Stop {
    std::string message;
  };
  enum class Flow { kOn, kBreak, kContinue };
  struct Variable {
    std::string_view name;
    Value value;
  };
  struct Nested;

  // statements
  Flow walk(const NodeList& nodes, const Value& dot);
  Flow walk_node(const Node& node, const Value& dot);
  Flow walk_branch(const BranchNode& branch, const Value& dot);
  Flow walk_range(const BranchNode& range, const Value& dot);
  // One round; false if the loop is left.
  bool walk_round(const BranchNode& range, const Value& index, const Value& element, std::size_t mark);
  void walk_template(const TemplateNode& node, const Value& dot);
  [[nodiscard]] bool range_over_integer(const BranchNode& range, const Value& over, std::size_t mark);
  [[nodiscard]] bool range_over_elements(const BranchNode& range, const Value& over, std::size_t mark);

  // expressions. `final`: the value piped in, or null.
  Value pipe(const PipeNode& pipe, const Value& dot);
  Value command(const CommandNode& command, const Value& dot, const Value* final);
  Value chain(const FieldChain& chain, const Value& dot, std::span<const NodePtr> arguments,
              const Value* final);
  Value field(const Value& receiver, const FieldName& name, bool has_arguments);
  Value parenthesized(const PipeNode& source, const Value& dot);
  Value constant(const NumberNode& node);
  void refuse_arguments(std::span<const NodePtr> arguments, const Value* final);

  // calls
  Value call(const IdentifierNode& node, const Node& whole, const Value& dot,
             std::span<const NodePtr> arguments, const Value* final);
  Value invoke(const FunctionEntry& function, const Node& whole, std::span<const Value> arguments);
  Value logic(const FunctionEntry& function, const Value& dot, std::span<const NodePtr> arguments,
              const Value* final);
  [[noreturn]] void fail_call(const FunctionEntry& function, const Node& whole, std::string_view what);
  [[noreturn]] void call_value(const FunctionEntry& function, const Node& whole, const Value& callee,
                               const Node* source);
  void check_count(const FunctionEntry& function, std::size_t written, bool piped);
  Value argument(const Node& node, Parameter type, const Value& dot);
  Value literal(const Node& node, Parameter type);
  Value converted(Value value, Parameter type);

  // variables
  Value& variable(std::string_view name);
  void pop(std::size_t mark) { variables_.resize(mark); }

  void at(const Node& node) {
    node_ = &node;
    if (++steps_ > limits_.steps) too_many_steps();
  }
  // Throws if blocks, calls and parentheses nest too deeply.
  void check_nesting() const;
  [[noreturn]] void too_many_steps() const;
  [[noreturn]] void fail(std::string_view message) const;
  [[nodiscard]] std::string located(std::string_view message) const;

  const Tree& tree_;
  const Data& data_;
  Limits limits_;
  Workspace work_;
  std::string text_;
  Sink output_;
  const Definition* definition_;
  const Node* node_ = nullptr;
  absl::InlinedVector<Variable, 8> variables_;
  std::size_t frame_ = 0;  // the first variable of the running template
  std::size_t steps_ = 0;
  std::size_t calls_ = 0;    // templates and parentheses that are open
  std::size_t nesting_ = 0;  // those and blocks
};

}  // namespace waybill::gotemplate
