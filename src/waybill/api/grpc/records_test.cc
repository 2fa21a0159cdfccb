#include "waybill/api/grpc/records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "tests/support/fake_record_reader.h"
#include "tests/support/test_io.h"
#include "waybill/base/md5.h"
#include "waybill/base/status.h"

namespace waybill::rpc {
namespace api = feast_spark::api;
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::size_t kFourMiB = 4194304;

absl::Time at(std::int64_t seconds) { return absl::FromUnixSeconds(seconds); }

void set(google::protobuf::Timestamp* time, std::int64_t seconds, int nanos = 0) {
  time->set_seconds(seconds);
  time->set_nanos(nanos);
}

class RecordsTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kNow = 1'780'000'000;
  static constexpr std::int64_t kDay = 86400;

  RecordsTest() {
    request_.set_project("sample");
    request_.set_table_name("driver");
    request_.set_type(api::BATCH_INGESTION_JOB);
  }

  domain::Record& add(const std::string& id, std::int64_t start) { return reader_.add(id, start); }

  absl::StatusOr<std::size_t> ask() {
    response_.Clear();
    const RecordsOf from{
        .records = reader_, .pool = pool_, .now = at(kNow), .given_up = [this] { return given_up_; }};
    return io_.run(list_batch_job_records(from, &request_, &response_));
  }
  std::vector<std::string> ids() {
    const auto left_out = ask();
    EXPECT_TRUE(left_out.ok()) << left_out.status();
    std::vector<std::string> found;
    for (const api::BatchJobRecord& record : response_.records()) found.push_back(record.id());
    return found;
  }
  void expect_refused(const std::string& field, const std::string& value) {
    const auto answer = ask();
    EXPECT_EQ(answer.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_TRUE(message(answer.status()).starts_with(field + ":")) << answer.status();
    EXPECT_THAT(message(answer.status()), HasSubstr(value));
    EXPECT_TRUE(reader_.filters.empty()) << "the database was asked";
  }

  testing::TestIo io_;
  testing::FakeRecordReader reader_;
  Pool pool_{1};
  bool given_up_ = false;
  api::ListBatchJobRecordsRequest request_;
  api::ListBatchJobRecordsResponse response_;
};

TEST_F(RecordsTest, NewestFirstOfTheLastSevenDays) {
  add("old", kNow - 7 * kDay - 1);
  add("bound", kNow - 7 * kDay);
  add("new", kNow - 10);
  add("future", kNow + kDay);  // no upper bound
  EXPECT_THAT(ids(), ElementsAre("future", "new", "bound"));
}

TEST_F(RecordsTest, BoundsCount) {
  for (const std::int64_t start : {100, 101, 102, 103}) add(std::to_string(start), start);
  set(request_.mutable_start(), 101);
  set(request_.mutable_end(), 102);
  EXPECT_THAT(ids(), ElementsAre("102", "101"));
  set(request_.mutable_end(), 101);  // one moment
  EXPECT_THAT(ids(), ElementsAre("101"));
}

TEST_F(RecordsTest, AnAbsentStartIsSevenDaysBeforeTheEnd) {
  const std::int64_t end = kNow - 30 * kDay;
  add("out", end - 7 * kDay - 1);
  add("in", end - 7 * kDay);
  set(request_.mutable_end(), end);
  EXPECT_THAT(ids(), ElementsAre("in"));
}

TEST_F(RecordsTest, TheMomentZeroIsABoundLikeAnyOther) {
  add("then", 0);
  set(request_.mutable_end(), 0);
  EXPECT_THAT(ids(), ElementsAre("then"));
}

TEST_F(RecordsTest, WhatIsWrongIsNamedWithItsValue) {
  request_.set_table_name("");
  expect_refused("table_name", "\"\"");
  request_.set_table_name("driver");
  request_.set_type(api::STREAM_INGESTION_JOB);
  expect_refused("type", "STREAM_INGESTION_JOB");
  request_.set_type(static_cast<api::JobType>(3));
  expect_refused("type", "3");
  request_.set_type(api::BATCH_INGESTION_JOB);
  request_.set_status(static_cast<api::JobStatus>(9));
  expect_refused("status", "9");
  request_.clear_status();
  request_.set_page_size(-5);
  expect_refused("page_size", "-5");
  request_.clear_page_size();
  set(request_.mutable_start(), 5, 1'000'000'000);
  expect_refused("start", "1000000000");
  set(request_.mutable_start(), 253402300800);
  expect_refused("start", "253402300800");
  set(request_.mutable_start(), 200);
  set(request_.mutable_end(), 199);
  expect_refused("start", "1970-01-01T00:03:20.000Z");
}

TEST_F(RecordsTest, ADamagedTokenIsNamed) {
  add("a", kNow);
  request_.set_page_size(10);
  request_.set_page_token("nonsense");
  const auto answer = ask();
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(message(answer.status()), HasSubstr("page_token: \"nonsense\""));
}

TEST_F(RecordsTest, ATableThatNobodyKnowsIsNotFound) {
  const auto answer = ask();
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(message(answer.status()), HasSubstr("\"driver\""));
  EXPECT_THAT(message(answer.status()), HasSubstr("\"sample\""));
}

TEST_F(RecordsTest, ATableWithoutRunsInThatTimeHasNoRows) {
  add("old", kNow - 100 * kDay);
  EXPECT_TRUE(ids().empty());
  reader_.records.clear();
  reader_.tables.insert({"sample", "driver"});
  EXPECT_TRUE(ids().empty());
}

TEST_F(RecordsTest, NoTypeMeansThoseOfAFeatureStore) {
  add("batch", kNow);
  add("stream", kNow - 1).run.type_word = "STREAM_INGESTION_JOB";
  add("retrieval", kNow - 2).run.type_word = "RETRIEVAL_JOB";
  add("other", kNow - 3).run.type_word = "";
  request_.clear_type();
  EXPECT_THAT(ids(), ElementsAre("batch", "stream", "retrieval"));
  request_.clear_table_name();
  EXPECT_THAT(ids(), ElementsAre("batch", "stream", "retrieval"));
}

TEST_F(RecordsTest, RetrievalsNeedNoTable) {
  domain::Record& record = add("r", kNow);
  record.run.type_word = "RETRIEVAL_JOB";
  record.run.table = "";
  record.output_location = "s3://b/out";
  record.feature_refs = {"driver:trips", "driver:rating"};
  request_.set_type(api::RETRIEVAL_JOB);
  request_.clear_table_name();
  EXPECT_THAT(ids(), ElementsAre("r"));
  const api::BatchJobRecord& row = response_.records(0);
  EXPECT_EQ(row.type(), api::RETRIEVAL_JOB);
  ASSERT_TRUE(row.has_retrieval());
  EXPECT_EQ(row.retrieval().output_location(), "s3://b/out");
  EXPECT_EQ(row.retrieval().project(), "sample");
  EXPECT_THAT(row.retrieval().feature_refs(), ElementsAre("driver:trips", "driver:rating"));
}

TEST_F(RecordsTest, NoProjectMeansDefault) {
  add("a", kNow).run.project = "default";
  add("b", kNow);
  request_.clear_project();
  EXPECT_THAT(ids(), ElementsAre("a"));
}

TEST_F(RecordsTest, ATableWhoseNameTheLabelCutIsFoundByItsHash) {
  domain::Record& record = add("a", kNow);
  record.run.table = "driv";
  record.run.hash = "c4d4a63ad1f8e7a8a6e2f16c0b6b8f4f";
  EXPECT_FALSE(ask().ok());
  record.run.hash = md5_hex("sample:driver");
  EXPECT_THAT(ids(), ElementsAre("a"));
  record.run.start = at(kNow - 100 * kDay);
  EXPECT_TRUE(ids().empty());  // known, without a run in the last days
}

TEST_F(RecordsTest, OneStatus) {
  add("done", kNow);
  domain::Record& open = add("running", kNow);
  open.run.status = domain::RecordStatus::kRunning;
  request_.set_status(api::JOB_STATUS_RUNNING);
  EXPECT_THAT(ids(), ElementsAre("running"));
}

TEST_F(RecordsTest, ARowHasAllThatIsKnown) {
  domain::Record& record = add("a", kNow - 3600);
  domain::Run& run = record.run;
  run.end = at(kNow) + absl::Milliseconds(250);
  run.status = domain::RecordStatus::kError;
  run.reason = domain::RecordReason::kFailed;
  run.error = "driver exited with 1";
  run.attempts = 3;
  run.application_id = "spark-1";
  run.cluster = "eks";
  run.name_space = "spark";
  run.window = {at(100), at(200)};
  record.attributes["Logs"] = {domain::AttributeKind::kLink, domain::AttributeShow::kAlways, "https://x/1",
                               2};
  record.attributes["Zone"] = {domain::AttributeKind::kUnset, domain::AttributeShow::kAlways, "b", 1};
  EXPECT_THAT(ids(), ElementsAre("a"));
  const api::BatchJobRecord& row = response_.records(0);
  EXPECT_EQ(row.job_id(), "job-a");
  EXPECT_EQ(row.type(), api::BATCH_INGESTION_JOB);
  EXPECT_EQ(row.status(), api::JOB_STATUS_ERROR);
  EXPECT_EQ(row.job_start_time().seconds(), kNow - 3600);
  EXPECT_EQ(row.job_end_time().seconds(), kNow);
  EXPECT_EQ(row.job_end_time().nanos(), 250'000'000);
  ASSERT_TRUE(row.has_batch_ingestion());
  EXPECT_EQ(row.batch_ingestion().table_name(), "driver");
  EXPECT_EQ(row.batch_ingestion().project(), "sample");
  EXPECT_EQ(row.batch_ingestion().start_time_param().seconds(), 100);
  EXPECT_EQ(row.batch_ingestion().end_time_param().seconds(), 200);
  EXPECT_EQ(row.reason(), "Failed");
  EXPECT_EQ(row.error_message(), "driver exited with 1");
  EXPECT_EQ(row.attempts(), 3);
  EXPECT_EQ(row.spark_application_id(), "spark-1");
  EXPECT_EQ(row.cluster(), "eks");
  EXPECT_EQ(row.namespace_(), "spark");
  ASSERT_EQ(row.attributes_size(), 2);
  EXPECT_EQ(row.attributes(0).label(), "Zone");
  EXPECT_EQ(row.attributes(0).kind(), "text");
  EXPECT_EQ(row.attributes(1).kind(), "link");
  EXPECT_EQ(row.attributes(1).value(), "https://x/1");
  EXPECT_EQ(row.spark_app_manifest(), "");
}

TEST_F(RecordsTest, AnOpenRunEndsAtMinusOneAndUnknownTimesAreUnset) {
  domain::Record& record = add("a", kNow);
  record.run.end.reset();
  record.run.window.from = at(5);
  ASSERT_THAT(ids(), ElementsAre("a"));
  const api::BatchJobRecord& row = response_.records(0);
  EXPECT_EQ(row.job_end_time().seconds(), -1);
  EXPECT_EQ(row.job_end_time().nanos(), 0);
  EXPECT_TRUE(row.batch_ingestion().has_start_time_param());
  EXPECT_FALSE(row.batch_ingestion().has_end_time_param());
}

TEST_F(RecordsTest, TheManifestIsYaml) {
  add("a", kNow).manifest = "h1";
  add("b", kNow - 1).manifest = "gone";
  reader_.kept["h1"] = {{"kind", "SparkApplication"}, {"spec", {{"mode", "cluster"}, {"cores", 2}}}};
  EXPECT_THAT(ids(), ElementsAre("a", "b"));
  EXPECT_EQ(response_.records(0).spark_app_manifest(),
            "kind: SparkApplication\nspec:\n  mode: cluster\n  cores: 2\n");
  EXPECT_EQ(response_.records(1).spark_app_manifest(), "");
}

TEST_F(RecordsTest, WithoutAPageSizeEveryRowIsAnswered) {
  for (int i = 0; i < 1234; ++i) add(std::to_string(1000 + i), kNow - i);
  EXPECT_EQ(ids().size(), 1234u);
  EXPECT_EQ(response_.next_page_token(), "");
}

TEST_F(RecordsTest, PagesFollowEachOtherByToken) {
  for (int i = 0; i < 5; ++i) add(std::to_string(i), kNow - i);
  request_.set_page_size(2);
  EXPECT_THAT(ids(), ElementsAre("0", "1"));
  request_.set_page_token(response_.next_page_token());
  EXPECT_THAT(ids(), ElementsAre("2", "3"));
  request_.set_page_token(response_.next_page_token());
  EXPECT_THAT(ids(), ElementsAre("4"));
  EXPECT_EQ(response_.next_page_token(), "");
}

TEST_F(RecordsTest, APageHasAtMostAThousandRows) {
  for (int i = 0; i < 1001; ++i) add(std::to_string(1000 + i), kNow - i);
  request_.set_page_size(100000);
  EXPECT_EQ(ids().size(), 1000u);
  EXPECT_NE(response_.next_page_token(), "");
}

TEST_F(RecordsTest, ManifestsAreLeftOutFromTheOldestOn) {
  // Each alone is 1 MiB of text, so three fit beside the rows and the fourth does not.
  const std::string megabyte(1048576, 'x');
  for (int i = 0; i < 6; ++i) add(std::to_string(i), kNow - i).manifest = i == 5 ? "" : "h";
  reader_.kept["h"] = {{"a", megabyte}};
  const auto left_out = ask();
  ASSERT_TRUE(left_out.ok()) << left_out.status();
  EXPECT_EQ(*left_out, 2u);  // of rows 3 and 4; row 5 never had one
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(response_.records(i).spark_app_manifest().empty(), i >= 3) << i;
  }
  EXPECT_LT(response_.ByteSizeLong(), kFourMiB);
}

TEST_F(RecordsTest, RowsThatAloneAreTooLargeAreRefusedWithTheWayOut) {
  for (int i = 0; i < 70; ++i) add(std::to_string(100 + i), kNow - i).run.error = std::string(65536, 'e');
  const auto answer = ask();
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(message(answer.status()), HasSubstr("page_size"));
  request_.set_page_size(50);
  EXPECT_EQ(ids().size(), 50u);
  EXPECT_LT(response_.ByteSizeLong(), kFourMiB);
}

TEST_F(RecordsTest, NobodyWaitsSoNothingIsRead) {
  add("a", kNow);
  given_up_ = true;
  EXPECT_EQ(ask().status().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(reader_.filters.empty());
}

TEST_F(RecordsTest, ADatabaseThatIsAwayIsSaidSo) {
  reader_.broken = unavailable("the database is away");
  EXPECT_EQ(ask().status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace waybill::rpc
