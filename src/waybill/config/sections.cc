#include "waybill/config/sections.h"

#include <absl/time/time.h>

#include <algorithm>
#include <boost/json.hpp>
#include <string>
#include <vector>

#include "waybill/base/redact.h"
#include "waybill/config/catalog.h"
#include "waybill/config/context.h"

namespace waybill::config {
namespace {

std::string name_of(const Section& item) { return item.text("name"); }

KubernetesAccess kubernetes_of(const Section& section) {
  const Section& access = section.sections.at("kubernetes");
  return {access.flag("in_cluster"), access.text("kubeconfig"), access.text("context")};
}

// A spec keeps its placeholders; its secrets belong into Kubernetes, so only names look secret here.
std::optional<FeatureJobTemplate> job_template(const Section& section, ContextReader& contexts) {
  if (!section.given()) return std::nullopt;
  FeatureJobTemplate out;
  out.image = section.text("image");
  const YamlNode* spec = section.at("spec").node;
  if (spec != nullptr && spec->kind == YamlNode::Kind::kMap) {
    out.spec = contexts.read(*spec, section.path_of("spec"), [](std::string_view) { return false; });
  }
  return out;
}

void check_default_store(const Section& section, const FeatureStore& store, const std::string& name,
                         Report& report) {
  const std::string wanted = section.text(name);
  if (wanted.empty()) return;
  std::vector<std::string> known;
  for (const FeatureStoreBackend& one : store.stores) known.push_back(one.name);
  if (std::find(known.begin(), known.end(), wanted) != known.end()) return;
  report.mistake(section.place(name), section.path_of(name),
                 quoted(wanted) + " is not one of feature_store.stores: " + suggestion(wanted, known));
}

}  // namespace

void read_webhooks(const Section& root, Config& config) {
  for (const Section& item : root.lists.at("webhooks")) {
    config.webhooks.push_back({item.secret("url"), item.texts("events"), item.texts("statuses"),
                               item.secret("secret"), item.integer("timeout_seconds") * absl::Seconds(1)});
  }
}

void read_rbacs(const Section& root, Config& config, Report& report) {
  const std::vector<Section>& items = root.lists.at("rbacs");
  check_unique(items, name_of, "name", report);
  for (const Section& item : items) config.rbacs.push_back({name_of(item), item.text("type")});
  if (items.empty()) return;
  report.warning(*items.front().node, "rbacs",
                 "these access rules are read but not enforced: use commands[].allowed_callers");
}

void read_history(const Section& root, Config& config, Report& report) {
  const std::vector<Section>& items = root.lists.at("history");
  check_unique(items, [](const Section& item) { return item.text("cluster"); }, "cluster", report);
  for (const Section& item : items) {
    HistorySource source;
    source.cluster = ClusterId(item.text("cluster"));
    source.kubernetes = kubernetes_of(item);
    source.namespaces = item.texts("namespaces");
    source.label_selector = item.text("label_selector");
    source.mask_manifests = item.flag("mask_manifests");
    if (!source.cluster.empty() && !config.base.clusters.contains(source.cluster)) {
      std::vector<std::string> known;
      for (const auto& cluster : config.base.clusters) known.push_back(cluster.first.str());
      report.mistake(item.place("cluster"), item.path_of("cluster"),
                     quoted(source.cluster.str()) +
                         " is not the id of one of clusters: " + suggestion(source.cluster.str(), known));
    }
    config.history.push_back(std::move(source));
  }
}

void read_feature_store(const Section& root, Config& config, const Environment& environment, Report& report) {
  const Section& section = root.sections.at("feature_store");
  if (!section.given()) return;
  const Redactor redactor(config.secret_keys);
  ContextReader contexts(report, environment, redactor, config.limits.context_depth);
  FeatureStore store;
  store.name_space = section.text("namespace");
  store.kubernetes = kubernetes_of(section);
  store.default_batch_store = section.text("default_batch_store");
  store.default_stream_store = section.text("default_stream_store");
  check_unique(section.lists.at("stores"), name_of, "name", report);
  for (const Section& item : section.lists.at("stores")) {
    store.stores.push_back({name_of(item), job_template(item.sections.at("batch_ingestion"), contexts),
                            job_template(item.sections.at("stream_ingestion"), contexts)});
  }
  store.retrieval = job_template(section.sections.at("retrieval"), contexts);
  store.delta_project = section.sections.at("delta").text("project");
  store.delta_dataset = section.sections.at("delta").text("dataset");
  store.default_max_age = section.integer("default_max_age") * absl::Seconds(1);
  store.sync_ingestion_job_on_spec_update = section.flag("sync_ingestion_job_on_spec_update");
  Checker texts(report, environment);
  for (const auto& [project, item] : section.maps.at("projects")) {
    const YamlNode* values = item.at("values").node;
    if (values == nullptr) continue;
    for (const YamlNode::Member& member : values->members) {
      if (member.value->kind != YamlNode::Kind::kScalar) continue;
      store.projects[project][member.name] =
          texts.expanded(*member.value, join_path(item.path_of("values"), member.name)).text;
    }
  }
  check_default_store(section, store, "default_batch_store", report);
  check_default_store(section, store, "default_stream_store", report);
  config.feature_store = std::move(store);
}

}  // namespace waybill::config
