#pragma once

#include <absl/status/statusor.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "waybill/base/redact.h"
#include "waybill/domain/attribute.h"
#include "waybill/domain/catalog.h"
#include "waybill/domain/job.h"
#include "waybill/template/template.h"

namespace waybill::engine {

// The attributes of a command and a cluster, merged (the cluster's label wins) and parsed. Immutable but
// for what it learns of its own speed; shared by threads.
class AttributeSet {
 public:
  // InvalidArgument with "LABEL: line:col: message" for the first template that does not parse.
  static absl::StatusOr<std::shared_ptr<const AttributeSet>> make(
      const std::vector<domain::AttributeTemplate>& command,
      const std::vector<domain::AttributeTemplate>& cluster);

  struct Item {
    domain::AttributeTemplate source;
    std::shared_ptr<const gotemplate::Template> parsed;
    int position = 0;
  };
  [[nodiscard]] const std::vector<Item>& items() const { return items_; }

  // Whether a rendering of it took long once.
  [[nodiscard]] bool is_slow() const { return slow_.load(std::memory_order_relaxed); }
  void note_slow() const { slow_.store(true, std::memory_order_relaxed); }

 private:
  std::vector<Item> items_;
  mutable std::atomic<bool> slow_ = false;
};

struct RenderOptions {
  std::vector<std::string> link_schemes = {"http", "https"};
  std::size_t value_bytes = 8192;
  std::size_t template_steps = 100'000;
  // Whether the outputs are all that the job published. If nobody could ask its run any more, a value that
  // was made of outputs stays, however the template reads a key that is missing.
  bool outputs_known = true;
};

struct Rendered {
  domain::Attributes attributes;
  domain::AttributeErrors errors;  // what is missing is an error only when `final`
};

// Renders every attribute over `data`. A value of `before` stays where this rendering only lacks a key. Pure.
[[nodiscard]] Rendered render(const AttributeSet& set, const gotemplate::Data& data,
                              const domain::Attributes& before, bool final, const RenderOptions& options);

// What templates see of a job; contexts masked.
[[nodiscard]] gotemplate::Data template_data(const domain::Job& job, const domain::Command& command,
                                             const domain::Cluster& cluster, const domain::Outputs& outputs,
                                             const Redactor& redactor);

}  // namespace waybill::engine
