#include "waybill/kube/object.h"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>

#include "waybill/base/status.h"
#include "waybill/kube/api_error.h"
#include "waybill/kube/resource.h"

namespace waybill::kube {
namespace {

TEST(Object, ReadsWhatNamesIt) {
  const Received read = read_object(
      R"({"metadata":{"uid":"u","namespace":"s","name":"n","resourceVersion":"5"},"spec":{}})", "ADDED");
  ASSERT_FALSE(read.dead_letter);
  EXPECT_EQ(name_of(read.object), (ObjectName{"u", "s", "n", "5"}));
  EXPECT_EQ(name_of({}), ObjectName());
  EXPECT_EQ(name_of({{"metadata", 7}}), ObjectName());
}

TEST(Object, TakesTheNewestTimeOfItsWriters) {
  const Received read = read_object(
      R"({"metadata":{"managedFields":[{"time":"2026-01-02T00:00:00Z"},{"time":"2026-01-03T00:00:00Z"},{"time":7},1]}})",
      "");
  ASSERT_TRUE(read.written);
  EXPECT_EQ(absl::FormatTime(*read.written, absl::UTCTimeZone()), "2026-01-03T00:00:00+00:00");
  EXPECT_EQ(boost::json::serialize(read.object), R"({"metadata":{}})");
}

TEST(Object, IsADeadLetterWhenItIsTooDeepOrNoUtf8) {
  std::string deep;
  for (int level = 0; level < 100'000; ++level) deep += "{\"a\":";
  EXPECT_TRUE(read_object(deep, "ADDED").dead_letter);
  EXPECT_TRUE(read_object("{\"a\":\"\xff\"}", "ADDED").dead_letter);
}

TEST(Head, IsReadFromWhatIsThere) {
  const std::string whole =
      R"({"type":"MODIFIED","object":{"apiVersion":"v1","metadata":{"annotations":{"name":"no","x":"\"uid\":\""},)"
      R"("labels":{"uid":"no"},"name":"n","namespace":"s","ownerReferences":[{"name":"no","uid":"no"}],)"
      R"("resourceVersion":"12","uid":"u"},"spec":{"metadata":{"name":"no"}}}})";
  EXPECT_EQ(read_head(whole).name, (ObjectName{"u", "s", "n", "12"}));
  EXPECT_EQ(read_head(whole).type, "MODIFIED");
  EXPECT_EQ(read_head(whole.substr(0, whole.find("\"resourceVersion"))).name, (ObjectName{"", "s", "n", ""}));
  EXPECT_EQ(read_head(R"({"metadata":{"name":"n","uid":"u")").name, (ObjectName{"u", "", "n", ""}));
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    const std::string name = read_head(std::string_view(whole).substr(0, cut)).name.name;
    EXPECT_TRUE(name.empty() || name == "n") << cut;
  }
}

TEST(ApiError, IsReadFromAStatusObjectAndTravelsWithTheStatus) {
  const ApiError error = parse_api_error(
      409,
      R"({"kind":"Status","reason":"Conflict","message":"changed","code":409,"details":{"retryAfterSeconds":3}})");
  EXPECT_EQ(error.http, 409);
  EXPECT_EQ(error.reason, "Conflict");
  EXPECT_EQ(error.retry_after, absl::Seconds(3));
  const absl::Status status = to_status(error, "PUT /x");
  EXPECT_TRUE(is_conflict(status));
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(message(status), "PUT /x: changed");
  EXPECT_EQ(api_error(status), error);
  EXPECT_EQ(api_error(absl::UnavailableError("x")), std::nullopt);
}

TEST(ApiError, HasACodeForEachKindOfRefusal) {
  const auto code = [](int http, const std::string& reason) {
    return to_status(parse_api_error(http, R"({"kind":"Status","reason":")" + reason + "\"}"), "x").code();
  };
  EXPECT_EQ(code(400, "BadRequest"), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(401, "Unauthorized"), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(code(403, "Forbidden"), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(code(404, "NotFound"), absl::StatusCode::kNotFound);
  EXPECT_EQ(code(409, "AlreadyExists"), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(code(410, "Expired"), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(code(422, "Invalid"), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(429, "TooManyRequests"), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(code(500, "InternalError"), absl::StatusCode::kUnavailable);
}

TEST(ApiError, BoundsAndTidiesWhatIsNoStatusObject) {
  const ApiError error = parse_api_error(502, "<html>\n\x1b[31m" + std::string(10'000, 'x'), "soon");
  EXPECT_LE(error.message.size(), 2048U);
  EXPECT_EQ(error.message.find('\n'), std::string::npos);
  EXPECT_EQ(error.message.find('\x1b'), std::string::npos);
  EXPECT_EQ(error.retry_after, std::nullopt);
}

TEST(Resource, MakesPathsInWhichNamesCannotEscape) {
  const Resource apps = {"sparkoperator.k8s.io", "v1beta2", "sparkapplications"};
  EXPECT_EQ(collection_path(apps, ""), "/apis/sparkoperator.k8s.io/v1beta2/sparkapplications");
  EXPECT_EQ(object_path(apps, "ns", "n", "status"),
            "/apis/sparkoperator.k8s.io/v1beta2/namespaces/ns/sparkapplications/n/status");
  EXPECT_EQ(object_path(pods(), "a/b", "../x?y"), "/api/v1/namespaces/a%2Fb/pods/..%2Fx%3Fy");
  EXPECT_EQ(to_string(apps), "sparkapplications.sparkoperator.k8s.io");
}

}  // namespace
}  // namespace waybill::kube
