#include "waybill/domain/matching.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "waybill/base/status.h"
#include "waybill/domain/job.h"

namespace waybill::domain {
namespace {

using Strings = std::vector<std::string>;
using ::testing::ElementsAre;

Command command(const std::string& id, Strings tags, Strings cluster_tags) {
  Command made;
  made.id = CommandId(id);
  made.name = id;
  made.version = "1";
  made.tags = sorted_unique(std::move(tags));
  made.cluster_tags = sorted_unique(std::move(cluster_tags));
  return made;
}

Cluster cluster(const std::string& id, Strings tags, double weight = 1) {
  Cluster made;
  made.id = ClusterId(id);
  made.name = id;
  made.version = "2";
  made.tags = sorted_unique(std::move(tags));
  made.weight = weight;
  return made;
}

Catalog catalog_of(std::vector<Command> commands, std::vector<Cluster> clusters) {
  Catalog catalog;
  for (Command& entry : commands) {
    const CommandId id = entry.id;
    catalog.commands[id] = std::make_shared<const Command>(std::move(entry));
  }
  for (Cluster& entry : clusters) {
    const ClusterId id = entry.id;
    catalog.clusters[id] = std::make_shared<const Cluster>(std::move(entry));
  }
  return catalog;
}

bool all_healthy(const ClusterId&) { return true; }
Dice throws(double value) {
  return [value] { return value; };
}

Catalog small_catalog() {
  Command off = command("off", {"type:off"}, {"type:local"});
  off.status = EntryStatus::kInactive;
  return catalog_of({command("ping", {"type:ping", "fast"}, {"type:local"}),
                     command("orphan", {"type:orphan"}, {"type:nowhere"}), off},
                    {cluster("here", {"type:local", "data:local"}), cluster("spark", {"type:spark"})});
}

std::string routed(const Catalog& catalog, const Criteria& of_command, const Criteria& of_cluster) {
  const auto pair = choose_route(catalog, of_command, of_cluster, all_healthy, throws(0));
  if (!pair.ok()) return error_word(pair.status());
  return pair->command->id.str() + "@" + pair->cluster->id.str();
}

TEST(Matching, CriteriaDecide) {
  const Catalog catalog = small_catalog();
  const struct {
    Criteria command, cluster;
    std::string expected;
  } rows[] = {
      {Strings{"type:ping"}, Strings{"data:local"}, "ping@here"},
      {Strings{"fast", "type:ping"}, Strings{}, "ping@here"},
      {Strings{}, Strings{}, "ping@here"},  // an empty list matches everything
      {std::nullopt, Strings{}, "no_route"},
      {Strings{}, std::nullopt, "no_route"},
      {std::nullopt, std::nullopt, "no_route"},
      {Strings{"type:ping"}, Strings{"type:spark"}, "no_route"},
      {Strings{"type:orphan"}, Strings{}, "no_route"},
      {Strings{"type:off"}, Strings{}, "no_route"},
      {Strings{"TYPE:PING"}, Strings{}, "no_route"},
      {Strings{"type:%"}, Strings{}, "no_route"},
      {Strings{"_id:ping"}, Strings{"_name:here", "_version:2"}, "ping@here"},
      {Strings{"_id:pin"}, Strings{}, "no_route"},
  };
  for (const auto& row : rows) EXPECT_EQ(routed(catalog, row.command, row.cluster), row.expected);
}

TEST(Matching, NoPairIsSaidInTheWordsOfTheApi) {
  const auto pair = choose_route(small_catalog(), Strings{"x"}, Strings{}, all_healthy, throws(0));
  EXPECT_EQ(pair.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(message(pair.status()), "command-cluster pair is not found");
}

TEST(Matching, PairsAreDrawnInProportionToWeight) {
  const Catalog catalog =
      catalog_of({command("c", {}, {})}, {cluster("a", {}, 1), cluster("b", {}, 3), cluster("never", {}, 0)});
  std::map<std::string, int> drawn;
  for (int i = 0; i < 1000; ++i) {
    const auto pair = choose_route(catalog, Strings{}, Strings{}, all_healthy, throws((i + 0.5) / 1000));
    ASSERT_TRUE(pair.ok());
    ++drawn[pair->cluster->id.str()];
  }
  EXPECT_EQ(drawn["a"], 250);
  EXPECT_EQ(drawn["b"], 750);
  EXPECT_EQ(drawn.count("never"), 0U);
}

TEST(Matching, WeightsOfZeroAreAlikeWhenThereIsNothingElse) {
  const Catalog catalog = catalog_of({command("c", {}, {})}, {cluster("a", {}, 0), cluster("b", {}, 0)});
  std::map<std::string, int> drawn;
  for (const double dice : {0.1, 0.4, 0.6, 0.999}) {
    const auto pair = choose_route(catalog, Strings{}, Strings{}, all_healthy, throws(dice));
    ASSERT_TRUE(pair.ok());
    ++drawn[pair->cluster->id.str()];
  }
  EXPECT_EQ(drawn["a"], 2);
  EXPECT_EQ(drawn["b"], 2);
}

TEST(Matching, UnhealthyClustersComeLast) {
  const Catalog catalog = catalog_of({command("c", {}, {})}, {cluster("a", {}, 1000), cluster("b", {}, 1)});
  const Health only_b = [](const ClusterId& id) { return id.str() == "b"; };
  const Health none = [](const ClusterId&) { return false; };
  EXPECT_EQ(choose_route(catalog, Strings{}, Strings{}, only_b, throws(0))->cluster->id.str(), "b");
  EXPECT_EQ(choose_route(catalog, Strings{}, Strings{}, none, throws(0))->cluster->id.str(), "a");
  const Explanation story = explain_route(catalog, Strings{}, Strings{}, only_b, throws(0));
  ASSERT_EQ(story.pairs.size(), 2U);
  EXPECT_EQ(story.pairs[0].cluster->id.str(), "b");
  EXPECT_FALSE(story.pairs[1].healthy);
  EXPECT_EQ(story.why, "it is the only healthy pair of those that match");
}

TEST(Matching, AnExplanationNamesWhatNearlyMatched) {
  const Explanation story = explain_route(small_catalog(), Strings{"fast", "type:ping"},
                                          Strings{"data:local", "zone:x"}, all_healthy, throws(0));
  EXPECT_TRUE(story.pairs.empty());
  EXPECT_FALSE(story.chosen.has_value());
  ASSERT_FALSE(story.near_misses.empty());
  EXPECT_EQ(story.near_misses[0].command, "ping");
  EXPECT_EQ(story.near_misses[0].cluster, "here");
  EXPECT_THAT(story.near_misses[0].missing, ElementsAre("zone:x"));
  for (std::size_t i = 1; i < story.near_misses.size(); ++i) {
    EXPECT_LE(story.near_misses[i - 1].missing.size(), story.near_misses[i].missing.size());
  }
}

TEST(Matching, AnEntryThatIsOffIsANearMiss) {
  const Explanation story =
      explain_route(small_catalog(), Strings{"type:off"}, Strings{}, all_healthy, throws(0));
  ASSERT_FALSE(story.near_misses.empty());
  EXPECT_EQ(story.near_misses[0].command, "off");
  EXPECT_THAT(story.near_misses[0].missing, ElementsAre("status INACTIVE"));
}

TEST(Matching, AtMostFiveNearMisses) {
  std::vector<Cluster> clusters;
  for (int i = 0; i < 20; ++i) clusters.push_back(cluster("c" + std::to_string(i), {}));
  const Catalog catalog = catalog_of({command("x", {}, {})}, std::move(clusters));
  EXPECT_EQ(explain_route(catalog, Strings{"a"}, Strings{}, all_healthy, throws(0)).near_misses.size(), 5U);
}

TEST(AllowedCallers, PatternsAreAnchoredAsAWhole) {
  const Strings patterns = {"team-a-.*", "ops|night-ops"};
  for (const char* caller : {"team-a-nightly", "ops", "night-ops", "team-a-"}) {
    EXPECT_TRUE(matches_any(patterns, caller)) << caller;
  }
  for (const char* caller : {"alice", "xteam-a-nightly", "ops2", "xops", "night-ops ", "", "ops\n"}) {
    EXPECT_FALSE(matches_any(patterns, caller)) << caller;
  }
  EXPECT_TRUE(matches_any({"^ops-.*$"}, "ops-1"));
  EXPECT_FALSE(matches_any({"("}, "("));
  EXPECT_FALSE(matches_any({}, "x"));
}

TEST(AllowedCallers, NoPatternMeansEveryone) {
  Command entry = command("c", {}, {});
  EXPECT_TRUE(may_run(entry, "alice").ok());
  entry.allowed_callers = {"bob"};
  EXPECT_TRUE(may_run(entry, "bob").ok());
  const absl::Status refused = may_run(entry, "alice");
  EXPECT_EQ(refused.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(message(refused), "caller is not allowed to run this command");
}

}  // namespace
}  // namespace waybill::domain
