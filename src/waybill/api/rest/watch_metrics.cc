#include "waybill/api/rest/watch_metrics.h"

#include <absl/strings/str_replace.h>
#include <fmt/format.h>

#include <functional>
#include <iterator>
#include <optional>

#include "waybill/base/status.h"

namespace waybill::rest {
namespace {

using ports::WatchReport;

constexpr absl::Duration kSilent = absl::Minutes(5);

std::string escaped(const std::string& value) {
  return absl::StrReplaceAll(value, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}});
}

std::string labels_of(const WatchReport& watch) {
  return fmt::format("cluster=\"{}\",namespace=\"{}\",selector=\"{}\"", escaped(watch.cluster),
                     escaped(watch.name_space), escaped(watch.selector));
}

struct Series {
  const char* name;
  const char* type;
  const char* help;
  std::function<std::optional<double>(const WatchReport&)> value;  // nullopt: not known
};

std::optional<double> seconds(const std::optional<absl::Duration>& duration) {
  if (!duration) return std::nullopt;
  return absl::ToDoubleSeconds(*duration);
}

// Counts of events stay far below 2^53.
double count(std::uint64_t number) { return static_cast<double>(number); }

std::vector<Series> all_series() {
  return {
      {"synced", "gauge",
       "Whether a complete list was seen, or the stored position taken, and nothing lost since.",
       [](const WatchReport& w) { return w.synced ? 1.0 : 0.0; }},
      {"heard_age_seconds", "gauge", "Age of the last event, bookmark or page of a list.",
       [](const WatchReport& w) { return seconds(w.heard_ago); }},
      {"bookmark_age_seconds", "gauge", "Age of the last bookmark.",
       [](const WatchReport& w) { return seconds(w.bookmark_ago); }},
      {"commit_age_seconds", "gauge", "Age of the last batch of records that was committed.",
       [](const WatchReport& w) { return seconds(w.committed_ago); }},
      {"event_lag_seconds", "gauge", "Of the last event, from its write on the cluster until it was taken.",
       [](const WatchReport& w) { return seconds(w.event_lag); }},
      {"events_total", "counter", "Events that came.", [](const WatchReport& w) { return count(w.events); }},
      {"bookmarks_total", "counter", "Bookmarks that came.",
       [](const WatchReport& w) { return count(w.bookmarks); }},
      {"relists_total", "counter", "Lists that a lost position made necessary.",
       [](const WatchReport& w) { return count(w.relists); }},
      {"errors_total", "counter", "Lists and watches that failed.",
       [](const WatchReport& w) { return count(w.errors); }},
      {"dead_letters_total", "counter", "Objects that were put aside.",
       [](const WatchReport& w) { return count(w.dead_letters); }},
      {"runs_lost_total", "counter", "Runs that were closed as Lost.",
       [](const WatchReport& w) { return count(w.lost); }},
      {"commit_retries_total", "counter", "Batches that the database did not take at once.",
       [](const WatchReport& w) { return count(w.retries); }},
      {"waiting_events", "gauge", "Events that are not committed yet.",
       [](const WatchReport& w) { return count(w.waiting); }},
  };
}

void write_head(const char* name, const char* type, const char* help, std::string& out) {
  fmt::format_to(std::back_inserter(out), "# HELP waybill_watch_{0} {2}\n# TYPE waybill_watch_{0} {1}\n",
                 name, type, help);
}

}  // namespace

void write_watches(const std::vector<WatchReport>& watches, std::string& out) {
  if (watches.empty()) return;
  auto to = std::back_inserter(out);
  write_head("leads", "gauge", "Whether this instance records the scope.", out);
  for (const WatchReport& watch : watches) {
    fmt::format_to(to, "waybill_watch_leads{{{}}} {}\n", labels_of(watch), watch.leads ? 1 : 0);
  }
  for (const Series& series : all_series()) {
    write_head(series.name, series.type, series.help, out);
    for (const WatchReport& watch : watches) {
      const std::optional<double> value = watch.leads ? series.value(watch) : std::nullopt;
      if (value) fmt::format_to(to, "waybill_watch_{}{{{}}} {}\n", series.name, labels_of(watch), *value);
    }
  }
}

absl::Status watches_ready(const std::vector<WatchReport>& watches) {
  for (const WatchReport& watch : watches) {
    if (!watch.leads || watch.heard_ago <= kSilent) continue;
    return unavailable(fmt::format("nothing was heard of cluster {} for {}: {}", watch.cluster,
                                   absl::FormatDuration(absl::Trunc(watch.heard_ago, absl::Seconds(1))),
                                   watch.last_error.empty() ? "the watch is silent" : watch.last_error));
  }
  return absl::OkStatus();
}

}  // namespace waybill::rest
