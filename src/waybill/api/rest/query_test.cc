#include "waybill/api/rest/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "waybill/api/rest/compress.h"
#include "waybill/api/rest/event_hub.h"
#include "waybill/api/rest/job_query.h"
#include "waybill/api/rest/job_request.h"
#include "waybill/api/rest/log_range.h"
#include "waybill/base/go_json.h"
#include "waybill/base/json.h"

// What clients send, as tables: URLs, bodies, ranges, filters.
namespace waybill::rest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Query parsed(std::string_view text) {
  auto query = Query::parse(text);
  EXPECT_TRUE(query.ok()) << text;
  return query.ok() ? *query : Query();
}

TEST(Query, DecodesAndLetsTheLastCount) {
  const Query query = parsed("a=1&a=2&b=x+y%2Bz&c&=d&%C3%A4=%E2%98%83&&");
  EXPECT_EQ(query.get("a"), "2");
  EXPECT_EQ(query.get("b"), "x y+z");
  EXPECT_NE(query.find("c"), nullptr);
  EXPECT_EQ(query.get("ä"), "☃");
  EXPECT_EQ(query.find("z"), nullptr);
}

TEST(Query, RefusesWhatIsNoText) {
  for (const char* text : {"a=%", "a=%2", "a=%zz", "a=%00", "a=%ff", "%ed%a0%80=1"}) {
    EXPECT_FALSE(Query::parse(text).ok()) << text;
  }
}

TEST(PathSegments, AreDecodedOnceAndOneSlashIsDropped) {
  EXPECT_THAT(*path_segments("/job/a%2Fb/status/"), ElementsAre("job", "a/b", "status"));
  EXPECT_THAT(*path_segments("/job/..%2f..%2fx"), ElementsAre("job", "../../x"));
  EXPECT_THAT(*path_segments("/a//b"), ElementsAre("a", "", "b"));
  EXPECT_THAT(*path_segments("/a/%2541+b"), ElementsAre("a", "%41+b"));
  EXPECT_TRUE(path_segments("/")->empty());
  EXPECT_FALSE(path_segments("/job/%00").ok());
  EXPECT_FALSE(path_segments("/job/%ff").ok());
}

struct LikeCase {
  const char* pattern;
  const char* text;
  bool matches;
};

TEST(Like, IsSqls) {
  const LikeCase cases[] = {{"abc", "abc", true},
                            {"abc", "ABC", false},
                            {"a%", "abc", true},
                            {"%c", "abc", true},
                            {"%b%", "abc", true},
                            {"a_c", "abc", true},
                            {"a_c", "ac", false},
                            {"_", "ü", true},
                            {"__", "ü", false},
                            {"a\\%c", "a%c", true},
                            {"a\\%c", "abc", false},
                            {"a\\_c", "a_c", true},
                            {"", "", true},
                            {"", "a", false},
                            {"%", "", true},
                            {"%%a%%", "bab", true},
                            {"a%b%c", "axbxxc", true},
                            {"a%b%c", "axbxx", false},
                            {"probe-_", "probe-a", true},
                            {"al\\_ha", "al_ha", true},
                            {"al\\_ha", "alpha", false}};
  for (const LikeCase& c : cases) EXPECT_EQ(like(c.pattern, c.text), c.matches) << c.pattern << " " << c.text;
}

TEST(Like, EndsSoonWhateverThePattern) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "%a";
  EXPECT_FALSE(like(pattern + "b", std::string(5000, 'a')));
}

TEST(Like, ExactlyMatchesItsTextAlone) {
  EXPECT_TRUE(like(exactly("a_%\\b"), "a_%\\b"));
  EXPECT_FALSE(like(exactly("a_"), "ab"));
}

struct RangeCase {
  const char* header;
  RangeKind kind;
  std::uint64_t begin, end;
};

// RFC 9110, 14.1 and 14.2, over 71 bytes.
TEST(Range, IsReadAsTheRfcSays) {
  const RangeCase cases[] = {{"bytes=0-5", RangeKind::kPart, 0, 6},
                             {"bytes=7-", RangeKind::kPart, 7, 71},
                             {"bytes=-8", RangeKind::kPart, 63, 71},
                             {"bytes=-800", RangeKind::kPart, 0, 71},
                             {"bytes=60-500", RangeKind::kPart, 60, 71},
                             {"Bytes=0-0", RangeKind::kPart, 0, 1},
                             {"bytes=71-", RangeKind::kUnsatisfiable, 0, 0},
                             {"bytes=-0", RangeKind::kUnsatisfiable, 0, 0},
                             {"bytes=9-3", RangeKind::kNone, 0, 0},
                             {"bytes=1-2,4-5", RangeKind::kNone, 0, 0},
                             {"lines=1-2", RangeKind::kNone, 0, 0},
                             {"bytes=", RangeKind::kNone, 0, 0},
                             {"bytes=-", RangeKind::kNone, 0, 0},
                             {"bytes=a-b", RangeKind::kNone, 0, 0},
                             {"bytes=18446744073709551616-", RangeKind::kNone, 0, 0}};
  for (const RangeCase& c : cases) {
    const RangeAnswer answer = parse_range(c.header, 71);
    EXPECT_EQ(answer.kind, c.kind) << c.header;
    if (c.kind != RangeKind::kPart) continue;
    EXPECT_EQ(answer.range.begin, c.begin) << c.header;
    EXPECT_EQ(answer.range.end, c.end) << c.header;
  }
}

TEST(AcceptEncoding, TakesGzipUnlessItsWeightIsNothing) {
  for (const char* yes : {"gzip", "deflate, gzip;q=0.5", "GZIP", "br, gzip ; q=1"})
    EXPECT_TRUE(accepts_gzip(yes)) << yes;
  for (const char* no : {"", "br", "gzip;q=0", "gzip;q=0.000", "identity, xgzip"})
    EXPECT_FALSE(accepts_gzip(no)) << no;
}

TEST(Positions, CompareAsNumbers) {
  EXPECT_LT(compare_positions("9", "10"), 0);
  EXPECT_EQ(compare_positions("0010-1", "10-01"), 0);
  EXPECT_GT(compare_positions("10-2", "10-1"), 0);
  EXPECT_LT(compare_positions("10-9", "10-10"), 0);
  EXPECT_GT(compare_positions("11-1", "10-99"), 0);
}

// --- GET /jobs
// -------------------------------------------------------------------------------------------------

TEST(JobQuery, LimitsAreLenient) {
  struct Case {
    const char* text;
    std::size_t limit;
  };
  for (const Case& c : {Case{"limit=1", 1},
                        {"limit=101", 101},
                        {"limit=102", 101},
                        {"limit=0", 101},
                        {"limit=-1", 101},
                        {"limit=abc", 101},
                        {"limit=", 101},
                        {"limit=2.5", 101},
                        {"limit=99999999999999999999", 101},
                        {"", 101}}) {
    const auto read = read_job_query(parsed(c.text), "", "", 101);
    ASSERT_TRUE(read.ok()) << c.text;
    EXPECT_EQ(read->page.limit, c.limit) << c.text;
  }
  EXPECT_EQ(read_job_query(parsed("limit=5000"), "", "", 1000)->page.limit, 1000U);
}

TEST(JobQuery, OrdersAndDirections) {
  EXPECT_TRUE(read_job_query(parsed(""), "", "", 101)->page.descending);
  EXPECT_FALSE(read_job_query(parsed("direction=ASC"), "", "", 101)->page.descending);
  EXPECT_TRUE(read_job_query(parsed("direction="), "", "", 101)->page.descending);
  EXPECT_EQ(read_job_query(parsed("order_by=duration"), "", "", 101)->page.order, ports::JobOrder::kDuration);
  for (const char* text :
       {"order_by=nonsense", "direction=sideways", "from=yesterday", "min_duration=long", "mine=maybe"}) {
    EXPECT_FALSE(read_job_query(parsed(text), "alice", "", 101).ok()) << text;
  }
}

TEST(JobQuery, TagsAreTrimmedAndStatusesAreExact) {
  const auto read = read_job_query(parsed("tags=%20a:b%20,,c:d&status=FAILED,nonsense"), "", "", 101);
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(read->filter.tags, ElementsAre("a:b", "c:d"));
  EXPECT_THAT(read->filter.statuses, ElementsAre(domain::JobStatus::kFailed));
  EXPECT_FALSE(read->nothing);
  EXPECT_TRUE(read_job_query(parsed("status=failed"), "", "", 101)->nothing);
  EXPECT_TRUE(read_job_query(parsed("status="), "", "", 101)->nothing);
  EXPECT_TRUE(read_job_query(parsed("status=%20FAILED,FAILED%20"), "", "", 101)->nothing);
  EXPECT_FALSE(read_job_query(parsed("status=,FAILED,"), "", "", 101)->nothing);
}

TEST(JobQuery, OnesOwnJobsAreAnExactNameBesideThePattern) {
  const auto mine = read_job_query(parsed("mine=true"), "a_b%", "", 101);
  EXPECT_EQ(mine->filter.username, "a\\_b\\%");
  EXPECT_FALSE(read_job_query(parsed("mine=true"), "", "", 101).ok());
  EXPECT_TRUE(read_job_query(parsed("username=b%25"), "alice", "alice", 101)->nothing);
  const auto scoped = read_job_query(parsed("username=a%25"), "alice", "alice", 101);
  EXPECT_EQ(scoped->filter.username, "alice");
  EXPECT_FALSE(scoped->nothing);
}

// --- the body of a submit
// --------------------------------------------------------------------------------------

absl::StatusOr<JobRequestBody> submit(const std::string& body, std::string_view query = "") {
  const auto value = parse_json(body);
  EXPECT_TRUE(value.ok()) << body;
  const Query parameters = parsed(query);
  return read_job_request(value->get_object(), &parameters);
}

TEST(JobRequest, MembersMatchInAnyCaseAndTheLastCounts) {
  const auto read = submit(R"({"NAME":"a","name":"b","Name":"c","VERSION":"1","Tags":["y","x","y"]})");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->spec.name, "c");
  EXPECT_EQ(read->spec.version, "1");
  EXPECT_THAT(read->spec.tags, ElementsAre("y", "x", "y")) << "as sent: errors name the place";
}

TEST(JobRequest, NullIsAbsentAndEmptyIsNot) {
  const auto nothing =
      submit(R"({"name":null,"context":null,"tags":null,"command_criteria":null,"status":null})");
  ASSERT_TRUE(nothing.ok());
  EXPECT_FALSE(nothing->spec.context);
  EXPECT_FALSE(nothing->spec.command_criteria);
  const auto empty = submit(R"({"context":{},"command_criteria":[],"cluster_criteria":["b","a","b"]})");
  ASSERT_TRUE(empty.ok());
  EXPECT_TRUE(empty->spec.context && empty->spec.context->empty());
  EXPECT_TRUE(empty->spec.command_criteria && empty->spec.command_criteria->empty());
  EXPECT_THAT(*empty->spec.cluster_criteria, ElementsAre("b", "a", "b"));
}

TEST(JobRequest, QueryParametersCountOverMembersAsStrings) {
  const auto read =
      submit(R"({"name":"body","version":"1"})", "name=first&NAME=last&description=a%20b%26c%2Bd&unknown=1");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->spec.name, "last");
  EXPECT_EQ(read->spec.version, "1");
  EXPECT_EQ(read->spec.description, "a b&c+d");
  EXPECT_TRUE(read->warnings.empty());
  for (const char* query :
       {"tags=a:b", "context=x", "command_criteria=x", "store_result_sync=true", "priority=1", "status=6"}) {
    EXPECT_FALSE(submit("{}", query).ok()) << query;
  }
}

struct BadBody {
  const char* body;
  const char* says;
};

TEST(JobRequest, WrongTypesAreNamed) {
  const BadBody cases[] = {
      {R"({"name":5})", "name: 5 is not a string"},
      {R"({"tags":"x"})", "tags: \"x\" is not a list of strings"},
      {R"({"tags":["a",1]})", "tags[1]: 1 is not a string"},
      {R"({"context":[1]})", "context: a list is not an object"},
      {R"({"command_criteria":{"a":1}})", "command_criteria: an object is not a list"},
      {R"({"store_result_sync":"yes"})", "store_result_sync: \"yes\" is not true or false"},
      {R"({"status":"succeeded"})", "status: \"succeeded\" is not the id"},
      {R"({"status":9})", "status: 9 is not the id"},
      {R"({"created_at":"now"})", "created_at: \"now\" is not a whole number"},
      {R"({"user":1})", "user: 1 is not a string"},
      {R"({"priority":101})", "priority: 101 is not between"},
      {R"({"priority":0.5})", "priority: 0.5 is not a whole number"},
      {R"({"max_attempts":-1})", "max_attempts: -1"},
      {R"({"timeout_seconds":-1})", "timeout_seconds: -1"},
      {R"({"timeout_seconds":1e300})", "timeout_seconds: 1e+300"}};
  for (const BadBody& c : cases) {
    const auto read = submit(c.body);
    ASSERT_FALSE(read.ok()) << c.body;
    EXPECT_THAT(std::string(read.status().message()), HasSubstr(c.says));
  }
}

TEST(JobRequest, WhatTheServerSetsIsIgnoredAndTheUnknownIsNamed) {
  const auto read = submit(
      R"({"id":"mine","error":"e","created_at":1,"canceled_by":"eve","status":6,"is_sync":true,"result":{},"odd":{"a":1}})");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->spec.user, "");
  EXPECT_THAT(read->warnings, ElementsAre("unknown member \"odd\" is ignored"));
}

TEST(JobRequest, NumbersOfAContextAreFloat64) {
  const auto read = submit(R"({"context":{"a":9007199254740993,"b":1.0,"c":[12345678901234567890],"d":-0}})");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(go_json(*read->spec.context),
            R"({"a":9007199254740992,"b":1,"c":[12345678901234567000],"d":-0})");
}

TEST(IdempotencyKey, IsShortVisibleAscii) {
  const std::string good = "key-1", empty, control = "a\x01", umlaut = "ä", big(256, 'x');
  EXPECT_EQ(*idempotency_key(&good), "key-1");
  EXPECT_EQ(*idempotency_key(nullptr), "");
  for (const std::string* bad : {&control, &umlaut, &big, &empty})
    EXPECT_FALSE(idempotency_key(bad).ok()) << *bad;
}

}  // namespace
}  // namespace waybill::rest
