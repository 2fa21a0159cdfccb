#include <string>
#include <vector>

#include "waybill/config/schema.h"
#include "waybill/domain/job_limits.h"

namespace waybill::config {
namespace {

using Strings = std::vector<std::string>;
using Settings = std::vector<Setting>;

constexpr double kMaxWeight = 1e6;

// What commands and clusters have in common.
Settings entry_settings(const std::string& list) {
  return {
      {.name = list + "[].id", .example = "spark-3.5", .what = "its id; absent means its name"},
      {.name = list + "[].name",
       .example = "spark-3.5",
       .what = "its name; may be absent where there is an id"},
      {.name = list + "[].version", .fallback = "", .example = "3.5.1", .what = "its version"},
      {.name = list + "[].description",
       .fallback = "",
       .example = "Spark on the night cluster",
       .what = "what it is for"},
      {.name = list + "[].user",
       .fallback = "heimdall",
       .example = "platform-team",
       .what = "whom it belongs to"},
      {.name = list + "[].status",
       .fallback = "active",
       .example = "inactive",
       .form = Form::kStatus,
       .what = "active, inactive (takes no jobs) or deleted, in any case of letters"},
      {.name = list + "[].tags",
       .type = Type::kStrings,
       .fallback = Strings{},
       .example = "[\"type:spark\"]",
       .form = Form::kTag,
       .what = "what criteria are matched against"},
      {.name = list + "[].context",
       .type = Type::kObject,
       .example = "{region: eu-north-1}",
       .what = "what its plugin and templates read; the plugin says the keys"},
  };
}

Settings attribute_settings(const std::string& list) {
  return {
      {.name = list + "[].attributes{}.kind",
       .type = Type::kWord,
       .example = "link",
       .words = {"link", "text"},
       .what = "how the value is shown; absent means text"},
      {.name = list + "[].attributes{}.value",
       .example = "\"{{ .Cluster.ui }}/jobs/{{ .Job.ID }}\"",
       .required = true,
       .what = "a Go text/template over .Job, .Command, .Cluster and .Outputs"},
      {.name = list + "[].attributes{}.show",
       .type = Type::kWord,
       .fallback = "always",
       .example = "running",
       .words = {"always", "running", "finished", "failed"},
       .what = "when a reader wants to see it"},
  };
}

Settings date_settings(const std::string& list) {
  return {
      {.name = list + "[].created_at",
       .type = Type::kInteger,
       .example = "1782864000",
       .what = "Heimdall's: without effect",
       .ignored = "has no effect: the server keeps it"},
      {.name = list + "[].updated_at",
       .type = Type::kInteger,
       .example = "1782864000",
       .what = "Heimdall's: without effect",
       .ignored = "has no effect: the server keeps it"},
  };
}

}  // namespace

std::vector<Setting> catalog_settings() {
  return joined(
      {entry_settings("commands"),
       Settings{
           {.name = "commands[].plugin", .example = "shell", .required = true, .what = "what runs its jobs"},
           {.name = "commands[].is_sync",
            .type = Type::kBoolean,
            .fallback = false,
            .example = "true",
            .what = "whether a submit waits for the job's end and answers its result"},
           {.name = "commands[].store_result_sync",
            .type = Type::kBoolean,
            .fallback = false,
            .example = "true",
            .what = "whether a sync answer waits until the result is stored"},
           {.name = "commands[].cluster_tags",
            .type = Type::kStrings,
            .fallback = Strings{},
            .example = "[\"type:spark\"]",
            .form = Form::kTag,
            .what = "tags that a cluster must have for its jobs"},
           {.name = "commands[].allowed_callers",
            .type = Type::kPatterns,
            .fallback = Strings{},
            .example = "[\"team-a-.*\"]",
            .what = "who may use it (RE2, matched against the whole name); empty: everybody"},
       },
       attribute_settings("commands"),
       Settings{
           {.name = "commands[].locked_context",
            .type = Type::kStrings,
            .fallback = Strings{},
            .example = "[properties]",
            .form = Form::kFilled,
            .what = "context keys that a job may not set here though its plugin would allow it"},
           {.name = "commands[].timeout_seconds",
            .type = Type::kInteger,
            .fallback = 0,
            .min = 0,
            .max = domain::kLongestTimeout,
            .unit = "seconds",
            .example = "3600",
            .what = "when a job is ended as KILLED (timeout); 0 is never"},
           {.name = "commands[].max_attempts",
            .type = Type::kInteger,
            .fallback = 1,
            .min = 1,
            .max = domain::kMostAttempts,
            .unit = "attempts",
            .example = "3",
            .what = "how often a job that was lost, or could not start, is run at most"},
       },
       date_settings("commands"), entry_settings("clusters"),
       Settings{
           {.name = "clusters[].health_check",
            .type = Type::kBoolean,
            .fallback = false,
            .example = "true",
            .what = "whether it is probed"},
           {.name = "clusters[].weight",
            .type = Type::kNumber,
            .fallback = 1.0,
            .min = 0,
            .max = kMaxWeight,
            .example = "2.5",
            .what = "its share of the jobs among the clusters that match"},
       },
       attribute_settings("clusters"),
       Settings{
           {.name = "clusters[].rbacs",
            .type = Type::kStrings,
            .fallback = Strings{},
            .example = "[my-ranger]",
            .form = Form::kFilled,
            .what = "Heimdall's: names of rbacs"},
       },
       date_settings("clusters"),
       Settings{

           {.name = "rbacs[].name",
            .example = "my-ranger",
            .required = true,
            .what = "its name, for clusters[].rbacs"},
           {.name = "rbacs[].type",
            .fallback = "apache_ranger",
            .example = "apache_ranger",
            .what = "its kind"},
           {.name = "rbacs[].service_name",
            .fallback = "",
            .example = "trino",
            .what = "Heimdall's: without effect"},
           {.name = "rbacs[].sync_interval_in_minutes",
            .type = Type::kInteger,
            .fallback = 0,
            .unit = "minutes",
            .example = "30",
            .what = "Heimdall's: without effect"},
           {.name = "rbacs[].client",
            .type = Type::kObject,
            .example = "{endpoint: \"https://ranger.example.com\"}",
            .what = "Heimdall's: without effect"},
           {.name = "rbacs[].parser",
            .type = Type::kObject,
            .example = "{type: trino}",
            .what = "Heimdall's: without effect"},
       }});
}

}  // namespace waybill::config
