#include "waybill/template/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "waybill/template/quoting.h"

namespace waybill::gotemplate {
namespace {

// Visits every expression of a tree and knows where dot and $ are the root of the data.
class Walker {
 public:
  virtual ~Walker() = default;

  void walk(const Tree& tree) {
    for (const auto& definition : tree.definitions) {
      const bool main = definition.get() == tree.main;
      dollar_is_root_ = main && !declares_dollar(definition->nodes);
      certain_ = main;
      walk_list(definition->nodes, main);
    }
  }

 protected:
  // A chain of fields that starts at the root: `.Job.ID` or `$.Job.ID`.
  virtual void root_chain(const FieldChain& /*chain*/) {}
  virtual void number(const NumberNode& /*node*/) {}
  virtual void template_call(const TemplateNode& /*node*/) {}
  virtual void pipe_seen(const PipeNode& /*pipe*/) {}

  // Whether every execution reaches the place: it is in no branch, and nothing before it can fail.
  [[nodiscard]] bool certain() const { return certain_; }

 private:
  static bool names_dollar(const PipeNode* pipe) {
    return pipe != nullptr &&
           std::find(pipe->variables.begin(), pipe->variables.end(), "$") != pipe->variables.end();
  }
  static bool declares_dollar(const NodeList& nodes);
  void walk_list(const NodeList& nodes, bool dot_is_root);
  void walk_branch(const BranchNode& branch, bool dot_is_root);
  void walk_pipe(const PipeNode& pipe, bool dot_is_root);
  void walk_chain(const FieldChain& chain, bool from_root);
  void walk_expression(const Node& node, bool dot_is_root);

  bool dollar_is_root_ = false;
  bool certain_ = false;
};

// $ can be declared or assigned like any variable; then it may be anything.
bool Walker::declares_dollar(const NodeList& nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [](const NodePtr& node) {
    switch (node->kind) {
      case NodeKind::kAction:
        return names_dollar(static_cast<const ActionNode&>(*node).pipe.get());
      case NodeKind::kTemplate:
        return names_dollar(static_cast<const TemplateNode&>(*node).pipe.get());
      case NodeKind::kIf:
      case NodeKind::kWith:
      case NodeKind::kRange: {
        const auto& branch = static_cast<const BranchNode&>(*node);
        return names_dollar(branch.pipe.get()) || declares_dollar(branch.body) ||
               (branch.otherwise && declares_dollar(*branch.otherwise));
      }
      default:
        return false;
    }
  });
}

void Walker::walk_list(const NodeList& nodes, bool dot_is_root) {
  for (const NodePtr& node : nodes) {
    switch (node->kind) {
      case NodeKind::kAction:
        walk_pipe(*static_cast<const ActionNode&>(*node).pipe, dot_is_root);
        break;
      case NodeKind::kTemplate: {
        const auto& call = static_cast<const TemplateNode&>(*node);
        template_call(call);
        if (call.pipe) walk_pipe(*call.pipe, dot_is_root);
        certain_ = false;
        break;
      }
      case NodeKind::kIf:
      case NodeKind::kWith:
      case NodeKind::kRange:
        walk_branch(static_cast<const BranchNode&>(*node), dot_is_root);
        break;
      default:
        break;
    }
  }
}

void Walker::walk_branch(const BranchNode& branch, bool dot_is_root) {
  if (branch.kind == NodeKind::kRange) certain_ = false;  // a range over nothing assigns nothing
  walk_pipe(*branch.pipe, dot_is_root);
  certain_ = false;
  walk_list(branch.body, dot_is_root && branch.kind == NodeKind::kIf);
  if (branch.otherwise) walk_list(*branch.otherwise, dot_is_root);
}

void Walker::walk_pipe(const PipeNode& pipe, bool dot_is_root) {
  for (const auto& command : pipe.commands) {
    for (const NodePtr& argument : command->arguments) walk_expression(*argument, dot_is_root);
  }
  pipe_seen(pipe);
}

// Whether evaluating a chain at the root always succeeds: a namespace or a field of the job.
bool cannot_fail(const FieldChain& chain) {
  if (chain.names.size() == 1) return true;
  return chain.names.size() == 2 && chain.names[0].name == "Job";
}

void Walker::walk_chain(const FieldChain& chain, bool from_root) {
  if (from_root) root_chain(chain);
  if (!from_root || !cannot_fail(chain)) certain_ = false;
}

void Walker::walk_expression(const Node& node, bool dot_is_root) {
  switch (node.kind) {
    case NodeKind::kPipe:
      return walk_pipe(static_cast<const PipeNode&>(node), dot_is_root);
    case NodeKind::kNumber:
      return number(static_cast<const NumberNode&>(node));
    case NodeKind::kField:
      return walk_chain(static_cast<const FieldChain&>(node), dot_is_root);
    case NodeKind::kVariable: {
      const auto& chain = static_cast<const FieldChain&>(node);
      if (chain.names.empty()) return;
      return walk_chain(chain, dollar_is_root_ && chain.variable == "$");
    }
    case NodeKind::kChain:
      certain_ = false;
      return walk_expression(*static_cast<const FieldChain&>(node).term, dot_is_root);
    case NodeKind::kIdentifier:
      certain_ = false;
      return;
    default:
      return;
  }
}

class MistakeFinder : public Walker {
 public:
  explicit MistakeFinder(const Tree& tree) : tree_(tree) {}
  std::optional<ParseError> found;

 protected:
  void root_chain(const FieldChain& chain) override {
    const FieldName& first = chain.names[0];
    if (first.root_field < 0) {
      return note(
          chain.start,
          fmt::format(".{} is no namespace; there are .Job, .Command, .Cluster and .Outputs", first.name));
    }
    if (first.name != "Job" || chain.names.size() < 2 || chain.names[1].job_field >= 0) return;
    note(chain.start, fmt::format(".Job has no field {}", chain.names[1].name));
  }

  void number(const NumberNode& node) override {
    if (node.number.complex)
      note(node.position, fmt::format("{} is a complex number, which attributes don't have", node.text));
  }

  void template_call(const TemplateNode& node) override {
    if (node.definition == nullptr && certain()) {
      note(node.position, fmt::format("template {} not defined", quoted(node.name)));
    }
  }

  void pipe_seen(const PipeNode& pipe) override {
    for (const std::string& name : pipe.variables) {
      if (!pipe.assigns) {
        declared_.push_back(name);
      } else if (certain() && name != "$" &&
                 std::find(declared_.begin(), declared_.end(), name) == declared_.end()) {
        note(pipe.position, fmt::format("undefined variable: {}", name));
      }
    }
  }

 private:
  void note(std::size_t byte, std::string_view what) {
    const Position at = position_of(tree_.text, byte);
    const bool earlier =
        found && (found->at.line < at.line || (found->at.line == at.line && found->at.column <= at.column));
    if (!earlier) found = ParseError{fmt::format("template: {}:{}: {}", tree_.name, at.line, what), at};
  }

  const Tree& tree_;
  std::vector<std::string> declared_;  // anywhere before, in whatever block
};

class ReferenceFinder : public Walker {
 public:
  explicit ReferenceFinder(const Tree& tree) : tree_(tree) {}
  std::vector<Template::Reference> found;

 protected:
  void root_chain(const FieldChain& chain) override {
    if (chain.names.size() < 2) return;
    const std::string& space = chain.names[0].name;
    if (space != "Command" && space != "Cluster") return;
    found.push_back({space, chain.names[1].name, position_of(tree_.text, chain.start)});
  }

 private:
  const Tree& tree_;
};

}  // namespace

std::optional<ParseError> find_mistake(const Tree& tree) {
  MistakeFinder finder(tree);
  finder.walk(tree);
  return finder.found;
}

std::vector<Template::Reference> find_references(const Tree& tree) {
  ReferenceFinder finder(tree);
  finder.walk(tree);
  return std::move(finder.found);
}

}  // namespace waybill::gotemplate
