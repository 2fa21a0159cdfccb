#include <benchmark/benchmark.h>

#include <boost/json.hpp>

#include "waybill/base/status.h"
#include "waybill/engine/attributes.h"

// What ten attributes cost a job: they are rendered when it starts, when it publishes its outputs and at its
// end.
namespace {

using namespace waybill;  // NOLINT(google-build-using-namespace): a program of one file
using domain::AttributeKind;
using domain::AttributeShow;

constexpr int kRenderings = 3;

std::vector<domain::AttributeTemplate> ten_attributes() {
  const auto link = [](const char* label, const char* value) {
    return domain::AttributeTemplate{label, AttributeKind::kLink, AttributeShow::kAlways, value};
  };
  const auto text = [](const char* label, const char* value) {
    return domain::AttributeTemplate{label, AttributeKind::kText, AttributeShow::kAlways, value};
  };
  return {
      link("Spark history", "{{ .Cluster.history }}/history/{{ .Outputs.app }}/jobs/"),
      link("Spark UI", "https://{{ .Outputs.app | lower }}.{{ .Cluster.domain }}/jobs/"),
      link("YARN", "{{ .Cluster.yarn }}/cluster/app/{{ .Outputs.app }}"),
      link("Dashboard",
           "{{ with .Cluster.grafana }}{{ .url }}/d/{{ .uid }}{{ end }}?from={{ .Job.CreatedAt }}000&to="
           "{{ if eq .Job.Status \"RUNNING\" }}now{{ else }}{{ .Job.UpdatedAt }}000{{ end }}"),
      link("Logs", "{{ .Cluster.kibana }}?q={{ printf \"pod:%q\" .Outputs.pod | urlquery }}"),
      link("Output", "https://s3.example.com/{{ trimPrefix \"s3://\" .Outputs.path | urlPathEscape }}"),
      text("Queue", "{{ get .Job.Context \"queue\" | default \"default\" }}"),
      text("Cost center",
           "{{ range .Job.Tags }}{{ if hasPrefix \"cost:\" . }}{{ trimPrefix \"cost:\" . }}{{ end }}{{ end "
           "}}"),
      text("Started", "{{ date \"2006-01-02 15:04\" .Job.CreatedAt }}"),
      text("Owner", "{{ .Job.User | splitList \"@\" | join \" at \" }}"),
  };
}

domain::Job job() {
  domain::Job job;
  job.id = JobId("01999999-0000-7000-8000-000000000042");
  job.spec.name = "Daily Orders";
  job.spec.user = "ada@example.com";
  job.spec.tags = {"cost:4711", "team:orders"};
  job.spec.context = boost::json::object{{"arguments", {"--date", "2026-09-21"}}, {"queue", "nightly"}};
  job.created_at = job.updated_at = absl::FromUnixSeconds(1'790'000'000);
  return job;
}

void ten_attributes_of_a_job(benchmark::State& state) {
  const auto set = engine::AttributeSet::make({}, ten_attributes());
  if (!set.ok()) return state.SkipWithError(message(set.status()).c_str());
  const domain::Job one = job();
  const domain::Command command;
  domain::Cluster cluster;
  cluster.context =
      boost::json::object{{"history", "https://history.example.com"},
                          {"domain", "spark.example.com"},
                          {"yarn", "http://rm.example.com:8088"},
                          {"grafana", {{"url", "https://grafana.example.com"}, {"uid", "spark"}}},
                          {"kibana", "https://kibana.example.com/app/discover"}};
  const domain::Outputs outputs = {{"app", "app-7C1"}, {"pod", "app-7c1-driver"}, {"path", "s3://b/orders"}};
  const Redactor redactor;
  const auto render = [&] {
    const auto data = engine::template_data(one, command, cluster, outputs, redactor);
    return engine::render(**set, data, {}, true, engine::RenderOptions());
  };
  if (const auto rendered = render(); rendered.attributes.size() != 10 || !rendered.errors.empty()) {
    return state.SkipWithError("the ten attributes do not render");
  }
  for (auto _ : state) {
    for (int n = 0; n < kRenderings; ++n) benchmark::DoNotOptimize(render());
  }
}
BENCHMARK(ten_attributes_of_a_job);

}  // namespace

BENCHMARK_MAIN();
