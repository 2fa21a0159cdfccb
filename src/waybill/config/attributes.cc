#include "waybill/config/attributes.h"

#include <algorithm>
#include <optional>

#include "waybill/base/status.h"
#include "waybill/base/utf8.h"
#include "waybill/domain/attribute_limits.h"
#include "waybill/domain/link.h"

namespace waybill::config {
namespace {

// The offset of a place in a text; its end where the place is beyond.
std::size_t offset_of(const std::string& text, gotemplate::Position at) {
  std::size_t start = 0;
  for (int line = 1; line < at.line; ++line) {
    const std::size_t end = text.find('\n', start);
    if (end == std::string::npos) return text.size();
    start = end + 1;
  }
  return std::min(text.size(), start + static_cast<std::size_t>(std::max(0, at.column - 1)));
}

// The message without "template: NAME:LINE:" in front: the place in the file says it better.
std::string without_place(const std::string& text, const std::string& name) {
  const std::string start = "template: " + name + ":";
  if (!text.starts_with(start)) return text;
  const std::size_t end = text.find(": ", start.size());
  return end == std::string::npos ? text : text.substr(end + 2);
}

class AttributeReader {
 public:
  AttributeReader(const Section& attribute, Report& report, CheckedAttributes& out)
      : value_(attribute.at("value")), path_(attribute.path_of("value")), report_(report), out_(out) {}

  void check(const std::string& text, const std::string& label, bool is_link,
             const std::vector<std::string>& schemes) {
    if (value_.node == nullptr || value_.node->kind != YamlNode::Kind::kScalar) return;
    if (text.size() > domain::kMostTemplateBytes) {
      return mistake(0, "the template has " + std::to_string(text.size()) + " bytes: at most " +
                            std::to_string(domain::kMostTemplateBytes) + " are allowed");
    }
    gotemplate::ParseError fault;
    const absl::StatusOr<gotemplate::Template> parsed = gotemplate::Template::parse(label, text, &fault);
    if (!parsed.ok()) {
      return mistake(offset_of(text, fault.at),
                     "the template does not parse: " + without_place(message(parsed.status()), label));
    }
    const std::string leading(parsed->leading_text());
    if (is_link && !leading.empty() && !domain::begins_with_scheme(leading, schemes)) {
      mistake(0, quoted(leading) + " is not a link: it must begin with " + domain::link_beginnings(schemes));
    }
    for (const gotemplate::Template::Reference& one : parsed->references()) {
      if (one.space != "Cluster" && one.space != "Command") continue;
      out_.references.push_back({one.space, one.key, value_.node, in_file(offset_of(text, one.at)), path_});
    }
  }

 private:
  // Variables shift what follows them: then only the scalar's own place is sure.
  [[nodiscard]] std::size_t in_file(std::size_t offset) const {
    return value_.origin == Origin::kEnvironment ? 0 : offset;
  }
  void mistake(std::size_t offset, std::string text) {
    if (offset == 0 || value_.origin == Origin::kEnvironment) {
      report_.mistake(*value_.node, path_, std::move(text));
    } else {
      report_.mistake_in(*value_.node, offset, path_, std::move(text));
    }
  }

  const Checked& value_;
  std::string path_;
  Report& report_;
  CheckedAttributes& out_;
};

}  // namespace

CheckedAttributes read_attributes(const Section& entry, const std::vector<std::string>& schemes,
                                  std::size_t label_bytes, Report& report) {
  CheckedAttributes out;
  const auto& attributes = entry.maps.at("attributes");
  if (attributes.size() > domain::kMostAttributes) {
    report.mistake(*entry.node->find("attributes")->key, entry.path_of("attributes"),
                   "there are " + std::to_string(attributes.size()) + " attributes: at most " +
                       std::to_string(domain::kMostAttributes) + " are allowed");
    return out;
  }
  for (const auto& [label, attribute] : attributes) {
    if (label.empty() || has_control_character(label) || label.size() > label_bytes) {
      report.mistake(*attribute.node, attribute.path,
                     quoted(label) + " is not a label: it must have 1 to " + std::to_string(label_bytes) +
                         " bytes and no control characters");
    }
    domain::AttributeTemplate one;
    one.label = label;
    one.kind = domain::parse_attribute_kind(attribute.text("kind")).value_or(domain::AttributeKind::kUnset);
    one.show = domain::parse_attribute_show(attribute.text("show")).value_or(domain::AttributeShow::kAlways);
    one.value = attribute.text("value");
    const bool is_link = one.kind == domain::AttributeKind::kLink;
    AttributeReader(attribute, report, out).check(one.value, label, is_link, schemes);
    out.templates.push_back(std::move(one));
  }
  return out;
}

}  // namespace waybill::config
