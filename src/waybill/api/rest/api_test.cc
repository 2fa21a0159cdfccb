#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <boost/json.hpp>
#include <string>

#include "waybill/api/rest/api_fixture_test.h"
#include "waybill/api/rest/errors.h"

// The whole API without a socket: routes, callers, the shapes of answers.
namespace waybill::rest {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ApiTest : public ApiFixture {};

TEST_F(ApiTest, UnknownPathsAre404AndWrongMethodsAre405) {
  for (const char* call :
       {"GET /", "GET /nope", "GET /JOB/statuses", "GET /job/x/nofile", "GET /job/x/STDOUT",
        "GET /job/x/..%2f..%2fconfig.yaml", "GET /job//status", "POST /nope", "GET /jobs/x/y"}) {
    const Answer answer = ask(call, "", "");
    EXPECT_EQ(answer.status, 404U) << call;
    EXPECT_EQ(answer.json.at("code"), "unknown_endpoint") << call;
  }
  for (const char* call : {"GET /job", "GET /job/", "DELETE /job/x", "PATCH /jobs", "PUT /job/x",
                           "POST /command/x", "POST /clusters", "BREW /jobs"}) {
    const Answer answer = ask(call);
    EXPECT_EQ(answer.status, 405U) << call;
    EXPECT_FALSE(answer.header("Allow").empty()) << call;
  }
  EXPECT_EQ(ask("GET /job/").header("Allow"), "POST, OPTIONS");
  const Answer options = ask("OPTIONS /jobs");
  EXPECT_EQ(options.status, 204U);
  EXPECT_THAT(options.header("Allow"), HasSubstr("GET, HEAD"));
  EXPECT_EQ(ask("HEAD /jobs").status, 200U);
  EXPECT_EQ(ask("GET /jobs/").status, 200U);
}

TEST_F(ApiTest, EveryChangingCallNeedsACallerAfterItsJson) {
  for (const char* call :
       {"POST /job", "POST /job/x/cancel", "POST /job/x/rerun", "POST /jobs/cancel", "PUT /command/x",
        "PUT /cluster/x", "DELETE /command/x/override", "DELETE /cluster/x/override", "POST /admin/reload",
        "POST /route", "POST /attributes/preview", "POST /job/x/attributes/render"}) {
    const Answer answer = ask(call, "{}", "");
    EXPECT_EQ(answer.status, 401U) << call;
    EXPECT_EQ(answer.json.at("error"), "cannot identify caller -- access denied") << call;
    EXPECT_EQ(ask(call, "{", "").status, 400U) << call;
  }
  EXPECT_EQ(ask("POST /jobs", R"({"jobs":[{}]})", "").status, 401U);
  EXPECT_EQ(ask("PUT /command/x/status", R"({"status":"active"})", "").status, 401U);
  EXPECT_EQ(ask("POST /job", R"({"name":5})", "").status, 400U);
  EXPECT_TRUE(gateway_.submits.empty());
}

TEST_F(ApiTest, ACallerIsBelievedOnlyFromATrustedProxy) {
  Request asked = request("POST /job", "{}");
  asked.peer = "10.0.0.1";
  EXPECT_EQ(ask(asked).status, 401U);
  asked.peer_local = true;
  EXPECT_EQ(ask(asked).status, 200U);
  Request twice = request("POST /job", "{}");
  twice.headers.add("X-Heimdall-User", "root");
  EXPECT_EQ(ask(twice).status, 400U);
  EXPECT_EQ(ask("POST /job", "{}", "a\tb").status, 400U);
  EXPECT_EQ(ask("POST /job", "{}", std::string(300, 'a')).status, 400U);
  EXPECT_EQ(ask("POST /job", R"({"user":"root"})").json.at("user"), "alice");
}

TEST_F(ApiTest, AForeignPageMayReadButNotChange) {
  struct Case {
    const char* name;
    const char* value;
    unsigned status;
  };
  for (const Case& c : {Case{"Origin", "https://evil.example.com", 403},
                        {"Origin", "null", 403},
                        {"Sec-Fetch-Site", "cross-site", 403},
                        {"Sec-Fetch-Site", "same-origin", 200},
                        {"Origin", "https://waybill.example.com", 200}}) {
    Request changing = request("POST /job", "{}");
    changing.headers.add(c.name, c.value);
    EXPECT_EQ(ask(changing).status, c.status) << c.name << " " << c.value;
    Request reading = request("GET /jobs");
    reading.headers.add(c.name, c.value);
    EXPECT_EQ(ask(reading).status, 200U) << c.name << " " << c.value;
  }
}

TEST_F(ApiTest, DenialsAndChangesAreAudited) {
  add_job("j1");
  ask("POST /job/j1/cancel");
  ask("POST /admin/reload");
  ask("PUT /command/x", "{}", "");
  ask("POST /job", "{}");
  ask("GET /job/j1");
  ASSERT_EQ(audit_.entries.size(), 3U);
  EXPECT_EQ(audit_.entries[0].what, "POST /api/v1/job/j1/cancel");
  EXPECT_EQ(audit_.entries[0].who, "alice");
  EXPECT_EQ(audit_.entries[0].where, "127.0.0.1");
  EXPECT_EQ(audit_.entries[0].outcome, "ok");
  EXPECT_EQ(audit_.entries[1].outcome, "denied");
  EXPECT_EQ(audit_.entries[2].who, "");
}

TEST_F(ApiTest, SubmitAnswersTheJobAsStored) {
  const Answer answer =
      ask("POST /job", R"({"name":"n","version":"1","tags":["b","a"],"context":{"n":1e21,"token":"x"},
                                             "command_criteria":[],"odd":1})");
  ASSERT_EQ(answer.status, 200U);
  EXPECT_THAT(answer.text, HasSubstr(R"("context":{"n":1e+21,"token":"***"})"));
  EXPECT_THAT(
      answer.text,
      HasSubstr(R"("tags":["_id:0190aaaa-0000-7000-8000-000000000001","_name:n","_version:1","a","b"])"));
  EXPECT_EQ(answer.json.at("status"), "NEW");
  EXPECT_EQ(answer.json.at("created_at"), 1'780'000'000);
  EXPECT_EQ(answer.json.at("command_criteria").as_array().size(), 0U);
  EXPECT_EQ(answer.json.at("warnings").as_array().size(), 1U);
  for (const char* absent :
       {"description", "is_sync", "error", "cluster_criteria", "started_at", "result", "priority"}) {
    EXPECT_FALSE(answer.json.as_object().contains(absent)) << absent;
  }
  // The engine gets the secret itself.
  EXPECT_EQ(gateway_.submits.at(0).spec.context->at("token"), "x");
}

TEST_F(ApiTest, BodiesThatAreNoObject) {
  for (const char* body : {"{\"name\": ", "not json", "[1]", "\"text\"", "{\"name\":\"a\"} trailing", "xy",
                           "[]", "{\"name\":\"\xff\"}", "{\"name\":\"a\\u0000b\"}"}) {
    const Answer answer = ask("POST /job", body);
    EXPECT_EQ(answer.status, 400U) << body;
    EXPECT_FALSE(answer.json.at("code").as_string().empty()) << body;
  }
  for (const char* body : {"", "  \n", "{}", "null"}) EXPECT_EQ(ask("POST /job", body).status, 200U) << body;
}

TEST_F(ApiTest, NoRouteIs422WithWhatNearlyMatched) {
  auto command = std::make_shared<domain::Command>();
  command->id = CommandId("ping");
  command->tags = {"type:ping"};
  auto cluster = std::make_shared<domain::Cluster>();
  cluster->id = ClusterId("local");
  gateway_.entries->commands[command->id] = command;
  gateway_.entries->clusters[cluster->id] = cluster;
  gateway_.on_submit = [](const auto&, const auto&) {
    return error(absl::StatusCode::kInvalidArgument, "no_route", "command-cluster pair is not found");
  };
  const Answer answer = ask("POST /job", R"({"command_criteria":["type:ping"],"cluster_criteria":["gpu"]})");
  EXPECT_EQ(answer.status, 422U);
  EXPECT_EQ(answer.json.at("error"), "command-cluster pair is not found");
  EXPECT_EQ(answer.json.at("code"), "no_route");
  EXPECT_EQ(boost::json::serialize(answer.json.at("near_misses")),
            R"([{"command":"ping","cluster":"local","missing":["gpu"]}])");
}

struct ErrorCase {
  absl::Status status;
  unsigned http;
};

TEST(Errors, HaveTheirStatusAndNeverShowTheServersOwn) {
  const ErrorCase cases[] = {{invalid("m"), 400},
                             {not_found("m"), 404},
                             {conflict("m"), 409},
                             {aborted("m"), 409},
                             {denied("m"), 403},
                             {unavailable("m"), 503},
                             {no_caller(), 401},
                             {error(absl::StatusCode::kInvalidArgument, "no_route", "m"), 422},
                             {error(absl::StatusCode::kAborted, "job_failed", "m"), 422},
                             {absl::ResourceExhaustedError("m"), 429},
                             {absl::DeadlineExceededError("m"), 503},
                             {absl::InternalError("m"), 500},
                             {absl::UnknownError("m"), 500}};
  for (const ErrorCase& c : cases) {
    EXPECT_EQ(http_status(c.status), c.http) << c.status;
    const Reply reply = error_reply(c.status);
    EXPECT_EQ(reply.headers.find("Retry-After") != nullptr, c.http == 429 || c.http == 503) << c.status;
  }
  EXPECT_THAT(error_reply(absl::InternalError("at /secret/path")).body, Not(HasSubstr("secret")));
}

TEST_F(ApiTest, AJobIsAnsweredWithATagAndNotTwice) {
  domain::Job& job = add_job("j1");
  job.state.status = domain::JobStatus::kKilled;
  job.state.reason = domain::EndReason::kTimeout;
  job.state.started_at = absl::FromUnixMillis(1'780'000'001'250);
  job.state.finished_at = absl::FromUnixMillis(1'780'000'003'000);
  job.attributes["Later"] = {domain::AttributeKind::kText, domain::AttributeShow::kFailed, "t", 2};
  job.attributes["First"] = {domain::AttributeKind::kLink, domain::AttributeShow::kAlways, "https://x", 0};
  job.attribute_errors["Bad"] = "no key";
  const Answer first = ask("GET /job/j1");
  ASSERT_EQ(first.status, 200U);
  EXPECT_EQ(first.json.at("started_at"), "2026-05-28T20:26:41.250Z");
  EXPECT_EQ(first.json.at("duration_ms"), 1750);
  EXPECT_EQ(first.json.at("status_reason"), "timeout");
  const std::string attributes =
      R"({"First":{"kind":"link","value":"https://x"},"Later":{"kind":"text","value":"t","show":"failed","position":2}})";
  EXPECT_THAT(first.text, HasSubstr("\"extra_job_attributes\":" + attributes));
  EXPECT_THAT(first.text, HasSubstr("\"job_attributes\":" + attributes));
  Request again = request("GET /job/j1");
  again.headers.add("If-None-Match", "\"other\", " + first.header("ETag"));
  const Answer unchanged = ask(again);
  EXPECT_EQ(unchanged.status, 304U);
  EXPECT_EQ(unchanged.text, "");
  EXPECT_EQ(unchanged.header("ETag"), first.header("ETag"));
  job.state.error = "other";
  EXPECT_EQ(ask(again).status, 200U);
  EXPECT_EQ(ask("GET /job/nope").json.at("error"), "unknown job_id");
}

TEST_F(ApiTest, AFinishedJobShowsItsSmallResultAndReadsItOnce) {
  domain::Job& job = add_job("j1");
  job.has_result = true;
  job.state.status = domain::JobStatus::kSucceeded;
  results_.results["j1"] = R"({"columns":[],"data":[]})";
  EXPECT_THAT(ask("GET /job/j1").text, HasSubstr(R"("result":{"columns":[],"data":[]})"));
  ask("GET /job/j1");
  EXPECT_EQ(results_.gets, 1);
  domain::Job& big = add_job("j2");
  big.has_result = true;
  big.state.status = domain::JobStatus::kSucceeded;
  results_.results["j2"] = "[\"" + std::string(70000, 'x') + "\"]";
  EXPECT_THAT(ask("GET /job/j2").text, Not(HasSubstr("result\":")));
  EXPECT_EQ(ask("GET /job/j2/result").text.size(), 70004U);
  add_job("j3");
  const Answer none = ask("GET /job/j3/result");
  EXPECT_EQ(none.status, 404U);
  EXPECT_EQ(none.json.at("code"), "no_result");
  EXPECT_THAT(none.text, Not(HasSubstr("secret")));
}

TEST_F(ApiTest, RowsCutLongContexts) {
  add_job("j1").spec.context = boost::json::object{{"a", std::string(20000, 'x')}};
  const Answer rows = ask("GET /jobs");
  EXPECT_THAT(rows.text, HasSubstr(R"("context":{"$truncated":20008})"));
  EXPECT_THAT(ask("GET /job/j1").text, HasSubstr(std::string(20000, 'x')));
  EXPECT_FALSE(rows.json.as_object().contains("has_more"));
}

TEST_F(ApiTest, ReadScopedShowsOnesOwnJobsAlone) {
  options_.auth.read_scoped = true;
  add_job("j1", "alice");
  EXPECT_EQ(ask("GET /job/j1", "", "alice").status, 200U);
  EXPECT_EQ(ask("GET /job/j1", "", "admin").status, 200U);
  for (const char* path : {"GET /job/j1", "GET /job/j1/stdout", "GET /job/j1/result", "GET /job/j1/events",
                           "POST /job/j1/cancel", "POST /job/j1/rerun"}) {
    EXPECT_EQ(ask(path, "", "bob").status, 404U) << path;
  }
  EXPECT_TRUE(gateway_.cancels.empty());
  EXPECT_EQ(ask("GET /jobs", "", "").status, 401U);
  ask("GET /jobs", "", "bob");
  EXPECT_EQ(jobs_.filters.back().username, "bob");
  ask("GET /stats/jobs?user=alice", "", "bob");
  EXPECT_EQ(stats_.requests.back().user, "bob");
}

TEST_F(ApiTest, BigAnswersAreCompressedForThoseWhoAsk) {
  add_job("j1").spec.context = boost::json::object{{"a", std::string(3000, 'x')}};
  Request asked = request("GET /job/j1");
  asked.headers.add("Accept-Encoding", "gzip");
  const Answer packed = ask(asked);
  EXPECT_EQ(packed.header("Content-Encoding"), "gzip");
  std::string plain(10000, '\0');
  z_stream stream{};
  ASSERT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.text.data()));
  stream.avail_in = static_cast<uInt>(packed.text.size());
  stream.next_out = reinterpret_cast<Bytef*>(plain.data());
  stream.avail_out = static_cast<uInt>(plain.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  plain.resize(stream.total_out);
  inflateEnd(&stream);
  EXPECT_EQ(plain, ask("GET /job/j1").text);
}

TEST_F(ApiTest, CancelAnswersCancelingOrWhyNot) {
  add_job("j1");
  EXPECT_EQ(ask("POST /job/j1/cancel").text, R"({"status":"CANCELING"})");
  gateway_.cancel_status =
      error(absl::StatusCode::kFailedPrecondition, "already_final", "the job is SUCCEEDED");
  const Answer late = ask("POST /job/j1/cancel");
  EXPECT_EQ(late.status, 409U);
  EXPECT_EQ(late.json.at("code"), "already_final");
  EXPECT_EQ(ask("POST /job/nope/cancel").status, 404U);
}

TEST_F(ApiTest, BulkAnswersInOrderAndABadOneStopsNobody) {
  Request asked =
      request("POST /jobs", R"({"jobs":[{"name":"a"},"x",{"name":5},{"name":"nowhere"},{"name":"b"}]})");
  asked.headers.add("Idempotency-Key", "k");
  const Answer answer = ask(asked);
  ASSERT_EQ(answer.status, 200U);
  const auto& data = answer.json.at("data").as_array();
  ASSERT_EQ(data.size(), 5U);
  EXPECT_EQ(data[0].at("name"), "a");
  EXPECT_EQ(data[1].at("code"), "invalid_argument");
  EXPECT_EQ(data[2].at("error"), "name: 5 is not a string");
  EXPECT_EQ(data[3].at("code"), "no_route");
  EXPECT_EQ(data[4].at("name"), "b");
  EXPECT_EQ(gateway_.bulk.size(), 3U);
  EXPECT_EQ(gateway_.bulk_key, "k");
}

TEST_F(ApiTest, AnAtomicBulkFailsAsItsFirstBadJob) {
  const Answer typed = ask("POST /jobs", R"({"atomic":true,"jobs":[{"name":"a"},{"name":5}]})");
  EXPECT_EQ(typed.status, 400U);
  EXPECT_EQ(typed.json.at("error"), "jobs[1]: name: 5 is not a string");
  EXPECT_TRUE(gateway_.bulk.empty());
  const Answer routed = ask("POST /jobs", R"({"atomic":true,"jobs":[{"name":"a"},{"name":"nowhere"}]})");
  EXPECT_EQ(routed.status, 422U);
  EXPECT_EQ(routed.json.at("data").as_array().size(), 2U);
  for (const char* body : {"{}", R"({"jobs":null})", R"({"jobs":{}})", R"({"jobs":[]})"}) {
    EXPECT_EQ(ask("POST /jobs", body).status, 400U) << body;
  }
  std::string many = R"({"jobs":[{})";
  for (int i = 0; i < 1000; ++i) many += ",{}";
  EXPECT_EQ(ask("POST /jobs", many + "]}").status, 400U);
}

TEST_F(ApiTest, CancelingManyNeedsIdsOrAFilterThatIsOne) {
  const Answer answer = ask("POST /jobs/cancel", R"({"ids":["a","gone"]})");
  EXPECT_EQ(
      answer.text,
      R"({"data":[{"id":"a","status":"CANCELING"},{"id":"gone","error":"unknown job_id","code":"not_found"}]})");
  EXPECT_EQ(ask("POST /jobs/cancel", R"({"filter":{"tags":"a:b","status":"NEW,RUNNING"}})").status, 200U);
  EXPECT_EQ(gateway_.cancel_filters.at(0).statuses.size(), 2U);
  for (const char* body :
       {"{}", R"({"filter":{}})", R"({"filter":{"colour":"blue"}})", R"({"ids":["x"],"filter":{"q":"x"}})",
        R"({"filter":{"tags":["a"]}})", R"({"filter":{"name":null}})"}) {
    EXPECT_EQ(ask("POST /jobs/cancel", body).status, 400U) << body;
  }
}

TEST_F(ApiTest, RerunTakesANewContextOrNone) {
  add_job("j1");
  const Answer answer = ask("POST /job/j1/rerun", R"({"context":{"a":1.0}})");
  EXPECT_EQ(answer.json.at("rerun_of"), "j1");
  EXPECT_EQ(boost::json::serialize(*gateway_.rerun_context), R"({"a":1})");
  EXPECT_EQ(gateway_.rerun_key, "");
  ask("POST /job/j1/rerun");
  EXPECT_FALSE(gateway_.rerun_context);
}

TEST_F(ApiTest, EventsOfAJobAndStatusWords) {
  add_job("j1");
  EXPECT_EQ(
      ask("GET /job/j1/events").text,
      R"({"data":[{"at":"1970-01-01T00:00:01.000Z","to":"NEW","actor":"alice","instance":"i-1","attempt":1},)"
      R"({"at":"1970-01-01T00:00:02.500Z","from":"NEW","to":"CANCELED","reason":"timeout","actor":"waybill","instance":"i-1","attempt":1}]})");
  EXPECT_EQ(ask("GET /job/statuses").text,
            R"(["ACCEPTED","CANCELED","CANCELING","FAILED","KILLED","NEW","RUNNING","SUCCEEDED"])");
  EXPECT_EQ(ask("GET /cluster/statuses").text, R"(["ACTIVE","DELETED","INACTIVE"])");
}

TEST_F(ApiTest, ProbesMetricsAndTheDocumentLieBesideTheBase) {
  EXPECT_EQ(ask("GET //healthz").status, 200U);
  EXPECT_EQ(ask("GET //readyz").status, 200U);
  gateway_.ready_status = unavailable("the database is away");
  EXPECT_EQ(ask("GET //readyz").status, 503U);
  const std::string metrics = ask("GET //metrics").text;
  EXPECT_THAT(metrics, HasSubstr("waybill_jobs{status=\"NEW\"} 3\n"));
  EXPECT_THAT(metrics,
              HasSubstr("waybill_http_requests_total{method=\"GET\",route=\"/readyz\",status=\"503\"} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("waybill_ready 0\n"));
  stats_.away = true;
  EXPECT_THAT(ask("GET //metrics").text, HasSubstr("waybill_database_up 0\n"));
  EXPECT_EQ(ask("GET //openapi.json").json.at("openapi"), "3.1.0");
  const Answer root = ask("GET //");
  EXPECT_EQ(root.status, 302U);
  EXPECT_EQ(root.header("Location"), "/ui/");
  EXPECT_EQ(ask("GET //ui/").status, 404U);  // none was built in
}

ports::WatchReport report_of(const std::string& cluster, absl::Duration heard_ago) {
  ports::WatchReport report;
  report.cluster = cluster;
  report.selector = R"(team="a\b")";
  report.leads = true;
  report.heard_ago = heard_ago;
  report.errors = 3;
  report.relists = 2;
  report.dead_letters = 1;
  report.last_error = "connection refused";
  return report;
}

TEST_F(ApiTest, MetricsTellOfEachWatchedScope) {
  watches_ = {report_of("eks", absl::Seconds(7))};
  watches_.emplace_back().cluster = "gke";  // another instance records it
  const std::string metrics = ask("GET //metrics").text;
  const std::string eks = R"({cluster="eks",namespace="",selector="team=\"a\\b\""} )";
  EXPECT_THAT(metrics, HasSubstr("waybill_watch_leads" + eks + "1\n"));
  EXPECT_THAT(metrics, HasSubstr("waybill_watch_leads{cluster=\"gke\",namespace=\"\",selector=\"\"} 0\n"));
  EXPECT_THAT(metrics, HasSubstr("waybill_watch_heard_age_seconds" + eks + "7\n"));
  EXPECT_THAT(metrics, HasSubstr("waybill_watch_errors_total" + eks + "3\n"));
  EXPECT_THAT(metrics, HasSubstr("waybill_watch_relists_total" + eks + "2\n"));
  EXPECT_THAT(metrics, HasSubstr("waybill_watch_dead_letters_total" + eks + "1\n"));
  EXPECT_THAT(metrics, Not(HasSubstr("waybill_watch_bookmark_age_seconds{"))) << "none has come";
  EXPECT_THAT(metrics, Not(HasSubstr("waybill_watch_heard_age_seconds{cluster=\"gke\"")));
}

TEST_F(ApiTest, AnInstanceThatOnlyRecordsIsReadyAsLongAsItHearsOfItsClusters) {
  watches_ = {report_of("eks", absl::Minutes(5))};
  options_.serves_api = false;
  EXPECT_EQ(ask("GET //readyz").status, 200U);
  watches_.push_back(report_of("gke", absl::Minutes(5) + absl::Seconds(1)));
  const Answer silent = ask("GET //readyz");
  EXPECT_EQ(silent.status, 503U);
  EXPECT_THAT(silent.text, HasSubstr("gke"));
  EXPECT_THAT(silent.text, HasSubstr("connection refused"));
  watches_.back().leads = false;  // another instance took over
  EXPECT_EQ(ask("GET //readyz").status, 200U);
}

TEST_F(ApiTest, AnInstanceThatServesIsReadyWhateverItsClustersDo) {
  watches_ = {report_of("eks", absl::Hours(1))};
  EXPECT_EQ(ask("GET //readyz").status, 200U);
}

TEST_F(ApiTest, TheWebUiIsServedWithAPolicy) {
  options_.ui = [](std::string_view path) -> std::optional<RestOptions::StaticFile> {
    if (path == "index.html") return RestOptions::StaticFile{"<p>", "text/html", false};
    if (path == "assets/app.js") return RestOptions::StaticFile{"x", "text/javascript", true};
    return std::nullopt;
  };
  for (const char* page : {"GET //ui/", "GET //ui/jobs/0190", "HEAD //ui/jobs"}) {
    const Answer answer = ask(page);
    EXPECT_EQ(answer.status, 200U) << page;
    EXPECT_THAT(answer.header("Content-Security-Policy"), HasSubstr("script-src 'self'")) << page;
  }
  EXPECT_THAT(ask("GET //ui/assets/app.js").header("Cache-Control"), HasSubstr("immutable"));
  EXPECT_EQ(ask("GET //ui/assets/other.js").status, 404U);
  EXPECT_EQ(ask("GET //ui").status, 302U);
}

}  // namespace
}  // namespace waybill::rest
