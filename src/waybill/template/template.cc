#include "waybill/template/template.h"

#include <utility>

#include "waybill/base/status.h"
#include "waybill/template/checks.h"
#include "waybill/template/evaluator.h"
#include "waybill/template/parser.h"

namespace waybill::gotemplate {

struct Template::Parsed {
  std::unique_ptr<const Tree> tree;
};

Template::Template(std::unique_ptr<const Parsed> parsed) : parsed_(std::move(parsed)) {}
Template::Template(Template&&) noexcept = default;
Template& Template::operator=(Template&&) noexcept = default;
Template::~Template() = default;

absl::StatusOr<Template> Template::parse(std::string_view name, std::string_view text, ParseError* mistake) {
  ParseError found;
  auto tree = parse_tree(name, text, found);
  if (tree) {
    auto seen = find_mistake(*tree);
    if (!seen) return Template(std::make_unique<const Parsed>(Parsed{std::move(tree)}));
    found = *std::move(seen);
  }
  const absl::Status status = invalid(found.message);
  if (mistake != nullptr) *mistake = std::move(found);
  return status;
}

absl::StatusOr<std::string> Template::execute(const Data& data, const Limits& limits) const {
  return Evaluator(*parsed_->tree, data, limits).run();
}

std::vector<Template::Reference> Template::references() const { return find_references(*parsed_->tree); }

std::string_view Template::leading_text() const {
  const NodeList& nodes = parsed_->tree->main->nodes;
  if (nodes.empty() || nodes[0]->kind != NodeKind::kText) return {};
  return static_cast<const TextNode&>(*nodes[0]).text;
}

}  // namespace waybill::gotemplate
