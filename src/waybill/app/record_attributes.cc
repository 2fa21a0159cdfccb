#include "waybill/app/record_attributes.h"

#include <boost/json.hpp>
#include <map>
#include <string>
#include <utility>

#include "waybill/base/time.h"

namespace waybill::app {
namespace json = boost::json;
namespace {

void add(const char* name, const std::string& value, domain::Outputs& outputs) {
  if (!value.empty()) outputs[name] = value;
}

json::object context_of(const domain::Record& record) {
  const domain::Run& run = record.run;
  json::object context = {{"project", run.project},
                          {"table", run.table},
                          {"type", run.type_word},
                          {"hash", run.hash},
                          {"namespace", run.name_space},
                          {"cluster", run.cluster},
                          {"output_location", record.output_location}};
  if (run.window.from) context["start"] = format_time(*run.window.from);
  if (run.window.to) context["end"] = format_time(*run.window.to);
  return context;
}

gotemplate::Data data_of(const domain::Record& record, const history::Application& app,
                         const domain::Cluster& cluster, const Redactor& redactor) {
  const domain::Run& run = record.run;
  gotemplate::Data data;
  data.job.id = run.id.empty() ? history::wanted_record_id(app) : run.id.str();
  data.job.name = run.name;
  data.job.status = to_string(run.status);
  data.job.error = run.error;
  for (const auto& [key, value] : app.labels) data.job.tags.push_back(key + ':' + value);
  data.job.context = redactor.masked(context_of(record));
  data.job.created_at = absl::ToUnixSeconds(run.opened_at);
  data.job.updated_at = absl::ToUnixSeconds(run.seen_at);
  data.job.cluster_id = cluster.id.str();
  data.job.cluster_name = cluster.name;
  if (cluster.context) data.cluster = redactor.masked(*cluster.context);
  add("spark_application_id", run.application_id, data.outputs);
  add("submission_id", run.submission_id, data.outputs);
  add("driver_pod", record.driver_pod, data.outputs);
  add("web_ui_address", record.web_ui_address, data.outputs);
  add("namespace", run.name_space, data.outputs);
  add("app_name", run.name, data.outputs);
  return data;
}

// The parsed templates of each cluster, anew when its entry is another one.
class Renderer {
 public:
  Renderer(std::function<std::shared_ptr<const domain::Catalog>()> catalog, const Redactor& redactor,
           engine::RenderOptions options)
      : catalog_(std::move(catalog)), redactor_(redactor), options_(std::move(options)) {}

  void render(domain::Record& record, const history::Application& app, bool is_final) {
    const Parsed* parsed = find(ClusterId(record.run.cluster));
    if (parsed == nullptr || parsed->set == nullptr) return;
    engine::Rendered rendered =
        engine::render(*parsed->set, data_of(record, app, *parsed->cluster, redactor_), record.attributes,
                       is_final, options_);
    record.attributes = std::move(rendered.attributes);
    record.attribute_errors = std::move(rendered.errors);
  }

 private:
  struct Parsed {
    std::shared_ptr<const domain::Cluster> cluster;
    std::shared_ptr<const engine::AttributeSet> set;
  };

  const Parsed* find(const ClusterId& id) {
    const std::shared_ptr<const domain::Catalog> catalog = catalog_();
    if (!catalog) return nullptr;
    const auto entry = catalog->clusters.find(id);
    if (entry == catalog->clusters.end()) return nullptr;
    Parsed& parsed = parsed_[id];
    if (parsed.cluster != entry->second) {
      parsed.cluster = entry->second;
      auto set = engine::AttributeSet::make({}, parsed.cluster->attributes);
      parsed.set = set.ok() ? *std::move(set) : nullptr;
    }
    return &parsed;
  }

  std::function<std::shared_ptr<const domain::Catalog>()> catalog_;
  const Redactor& redactor_;
  engine::RenderOptions options_;
  std::map<ClusterId, Parsed> parsed_;
};

}  // namespace

history::RenderAttributes record_attributes(std::function<std::shared_ptr<const domain::Catalog>()> catalog,
                                            const Redactor& redactor, engine::RenderOptions options) {
  auto renderer = std::make_shared<Renderer>(std::move(catalog), redactor, std::move(options));
  return [renderer](domain::Record& record, const history::Application& app, bool is_final) {
    renderer->render(record, app, is_final);
  };
}

}  // namespace waybill::app
