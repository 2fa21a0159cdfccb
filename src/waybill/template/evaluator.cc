#include "waybill/template/evaluator.h"

#include <fmt/format.h>

#include "waybill/base/status.h"
#include "waybill/template/print.h"
#include "waybill/template/quoting.h"

// Statements: text, actions, branches, loops and calls of templates.
namespace waybill::gotemplate {
namespace {

// How deep blocks, calls and parentheses together may nest, for each level of Limits::depth. A guard for the
// stack.
constexpr std::size_t kNestingPerDepth = 5;

}  // namespace

// One level deeper for as long as it lives.
struct Evaluator::Nested {
  enum class What { kBlock, kCall };

  Nested(Evaluator& e, What w) : evaluator(e), call(w == What::kCall ? 1U : 0U) {
    evaluator.calls_ += call;
    ++evaluator.nesting_;
    evaluator.check_nesting();
  }
  ~Nested() {
    evaluator.calls_ -= call;
    --evaluator.nesting_;
  }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;

  Evaluator& evaluator;
  std::size_t call;
};

Evaluator::Evaluator(const Tree& tree, const Data& data, const Limits& limits)
    : tree_(tree),
      data_(data),
      limits_(limits),
      work_(limits),
      output_(text_, limits.output_bytes),
      definition_(tree.main) {}

absl::StatusOr<std::string> Evaluator::run() {
  try {
    const Value root = Value::of(data_);
    variables_.push_back({"$", root});
    walk(definition_->nodes, root);
    return std::move(text_);
  } catch (const Stop& stop) {
    return invalid(stop.message);
  } catch (const Exhausted& exhausted) {
    return error(absl::StatusCode::kResourceExhausted, "template_limit", located(exhausted.what));
  }
}

void Evaluator::check_nesting() const {
  if (calls_ <= limits_.depth && nesting_ <= limits_.depth * kNestingPerDepth) return;
  throw Exhausted{fmt::format("templates and parentheses nest deeper than {}", limits_.depth)};
}

void Evaluator::too_many_steps() const {
  throw Exhausted{fmt::format("the template takes more than {} steps", limits_.steps)};
}

void Evaluator::fail(std::string_view message) const { throw Stop{located(message)}; }

std::string Evaluator::located(std::string_view message) const {
  if (node_ == nullptr) return fmt::format("template: {}: {}", tree_.name, message);
  const Position position = position_of(tree_.text, node_->position);
  return fmt::format("template: {}:{}:{}: executing {} at <{}>: {}", tree_.name, position.line,
                     position.column - 1, quoted(definition_->name), to_string(*node_), message);
}

Evaluator::Flow Evaluator::walk(const NodeList& nodes, const Value& dot) {
  for (const NodePtr& node : nodes) {
    const Flow flow = walk_node(*node, dot);
    if (flow != Flow::kOn) return flow;
  }
  return Flow::kOn;
}

Evaluator::Flow Evaluator::walk_node(const Node& node, const Value& dot) {
  at(node);
  switch (node.kind) {
    case NodeKind::kText:
      output_.append(static_cast<const TextNode&>(node).text);
      return Flow::kOn;
    case NodeKind::kAction: {
      const PipeNode& source = *static_cast<const ActionNode&>(node).pipe;
      const Value value = pipe(source, dot);
      if (!source.variables.empty()) return Flow::kOn;
      at(node);
      value.is_nil() ? output_.append("<no value>") : print(output_, value);
      return Flow::kOn;
    }
    case NodeKind::kIf:
    case NodeKind::kWith:
      return walk_branch(static_cast<const BranchNode&>(node), dot);
    case NodeKind::kRange:
      return walk_range(static_cast<const BranchNode&>(node), dot);
    case NodeKind::kTemplate:
      walk_template(static_cast<const TemplateNode&>(node), dot);
      return Flow::kOn;
    case NodeKind::kBreak:
      return Flow::kBreak;
    case NodeKind::kContinue:
      return Flow::kContinue;
    default:
      return Flow::kOn;  // expressions are no statements
  }
}

Evaluator::Flow Evaluator::walk_branch(const BranchNode& branch, const Value& dot) {
  const Nested nested(*this, Nested::What::kBlock);
  const std::size_t mark = variables_.size();
  const Value value = pipe(*branch.pipe, dot);
  Flow flow = Flow::kOn;
  if (truth(value)) {
    flow = walk(branch.body, branch.kind == NodeKind::kWith ? value : dot);
  } else if (branch.otherwise) {
    flow = walk(*branch.otherwise, dot);
  }
  pop(mark);
  return flow;
}

Evaluator::Flow Evaluator::walk_range(const BranchNode& range, const Value& dot) {
  const Nested nested(*this, Nested::What::kBlock);
  const std::size_t before = variables_.size();
  const Value over = pipe(*range.pipe, dot);
  const std::size_t mark = variables_.size();
  bool ran = false;
  switch (over.kind) {
    case Kind::kInt:
    case Kind::kByte:
    case Kind::kUint:
      ran = range_over_integer(range, over, mark);
      break;
    case Kind::kList:
    case Kind::kStrings:
    case Kind::kMap:
    case Kind::kOutputs:
      ran = range_over_elements(range, over, mark);
      break;
    case Kind::kNil:
      break;
    default: {
      Sink shown = work_.start();
      Printer(shown).nested(over, 'v', 0);
      fail("range can't iterate over " + shown.text());
    }
  }
  // What leaves the else list leaves a loop around this one.
  const Flow flow = ran || !range.otherwise ? Flow::kOn : walk(*range.otherwise, dot);
  pop(before);
  return flow;
}

bool Evaluator::range_over_integer(const BranchNode& range, const Value& over, std::size_t mark) {
  if (range.pipe->variables.size() > 1) {
    Sink shown = work_.start();
    Printer(shown).nested(over, 'v', 0);
    fail("can't use " + shown.text() + " to iterate over more than one variable");
  }
  if (over.kind == Kind::kInt && over.integer <= 0) return false;
  Value element = over;
  for (element.unsigned_integer = 0; element.unsigned_integer < over.unsigned_integer;
       ++element.unsigned_integer) {
    if (!walk_round(range, Value(), element, mark)) break;
  }
  return over.unsigned_integer > 0;
}

bool Evaluator::range_over_elements(const BranchNode& range, const Value& over, std::size_t mark) {
  if (over.is_list()) {
    for (std::size_t i = 0; i < over.size; ++i) {
      if (!walk_round(range, Value::of(static_cast<std::int64_t>(i)), over.element(i), mark)) break;
    }
  } else {
    work_.charge(over.size * 64);
    for (const MapEntry& entry : sorted_entries(over)) {
      if (!walk_round(range, Value::of(entry.key), entry.value, mark)) break;
    }
  }
  return over.size > 0;
}

bool Evaluator::walk_round(const BranchNode& range, const Value& index, const Value& element,
                           std::size_t mark) {
  if (++steps_ > limits_.steps) too_many_steps();
  const auto& names = range.pipe->variables;
  if (range.pipe->assigns) {
    if (names.size() > 1) variable(names[0]) = index;
    variable(names.back()) = element;
  } else if (!names.empty()) {
    variables_[mark - 1].value = element;
    if (names.size() > 1) variables_[mark - 2].value = index;
  }
  const Flow flow = walk(range.body, element);
  pop(mark);
  return flow != Flow::kBreak;
}

void Evaluator::walk_template(const TemplateNode& node, const Value& dot) {
  if (node.definition == nullptr) fail(fmt::format("template {} not defined", quoted(node.name)));
  const Nested nested(*this, Nested::What::kCall);
  const Value argument = node.pipe ? pipe(*node.pipe, dot) : Value();
  const Definition* caller = std::exchange(definition_, node.definition);
  const std::size_t mark = variables_.size();
  const std::size_t frame = std::exchange(frame_, mark);
  variables_.push_back({"$", argument});
  walk(node.definition->nodes, argument);
  pop(mark);
  frame_ = frame;
  definition_ = caller;
}

Value& Evaluator::variable(std::string_view name) {
  for (std::size_t i = variables_.size(); i > frame_; --i) {
    if (variables_[i - 1].name == name) return variables_[i - 1].value;
  }
  fail(fmt::format("undefined variable: {}", name));
}

}  // namespace waybill::gotemplate
