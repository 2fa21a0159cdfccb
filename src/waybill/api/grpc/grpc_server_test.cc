#include "waybill/api/grpc/grpc_server.h"

#include <gmock/gmock.h>
#include <grpcpp/channel.h>
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/json.hpp>
#include <thread>

#include "feast/core/core_service.grpc.pb.h"
#include "feast_spark/api/job_service.grpc.pb.h"
#include "tests/support/fake_audit_log.h"
#include "tests/support/fake_record_reader.h"
#include "tests/support/test_io.h"
#include "waybill/base/status.h"

namespace waybill::rpc {
namespace api = feast_spark::api;
namespace {

using ::testing::HasSubstr;

// Answers only once the test lets it.
class FakeSlowReader : public testing::FakeRecordReader {
 public:
  explicit FakeSlowReader(boost::asio::any_io_executor io)
      : open_(io, std::chrono::steady_clock::time_point::max()) {}
  std::atomic<int> asked = 0;

  Task<absl::StatusOr<ports::RecordPage>> list(ports::RecordFilter filter,
                                               ports::RecordPageRequest page) override {
    ++asked;
    if (!gate_open_) {
      auto [ignored] = co_await open_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
      static_cast<void>(ignored);
    }
    auto answer = co_await FakeRecordReader::list(std::move(filter), std::move(page));
    co_return answer;
  }
  void shut() { gate_open_ = false; }
  void open() {
    gate_open_ = true;
    open_.cancel();
  }

 private:
  boost::asio::steady_timer open_;
  bool gate_open_ = true;
};

class GrpcServerTest : public ::testing::Test {
 protected:
  GrpcServerTest() {
    options_.address = "127.0.0.1:0";
    reader_.add("r1", absl::ToUnixSeconds(clock_.now())).run.end.reset();
  }
  ~GrpcServerTest() override {
    if (server_) io_.run(server_->stop());
  }

  void start() {
    server_ = std::make_unique<GrpcServer>(
        io_.executor(),
        GrpcServices{reader_, audit_, clock_, pool_, log_,
                     [this](Sender sender) { return identify(std::move(sender)); }},
        options_);
    const absl::Status started = server_->start();
    ASSERT_TRUE(started.ok()) << started;
    channel_ = ::grpc::CreateChannel("127.0.0.1:" + std::to_string(server_->port()),
                                     ::grpc::InsecureChannelCredentials());
  }

  Task<absl::StatusOr<domain::Caller>> identify(Sender sender) {
    sender_ = std::move(sender);
    domain::Caller caller;
    caller.address = sender_.peer;
    for (const auto& [name, value] : sender_.metadata) {
      if (name == "x-heimdall-user") caller.name = value;
    }
    caller.is_admin = caller.name == "admin";
    co_return caller;
  }

  // A blocking call on a thread of its own, while this one is the io thread.
  template <class Blocking>
  void meanwhile(Blocking blocking) {
    std::atomic<bool> done = false;
    std::thread client([&] {
      blocking();
      done = true;
    });
    io_.wait_until([&] { return done.load(); });
    client.join();
  }

  ::grpc::Status list(const std::string& user = "") {
    ::grpc::Status status;
    meanwhile([&] {
      ::grpc::ClientContext context;
      if (!user.empty()) context.AddMetadata("x-heimdall-user", user);
      status = stub()->ListBatchJobRecords(&context, request(), &response_);
      trailers_.clear();
      for (const auto& [name, value] : context.GetServerTrailingMetadata()) {
        trailers_.emplace(std::string(name.data(), name.size()), std::string(value.data(), value.size()));
      }
    });
    return status;
  }
  std::unique_ptr<api::JobService::Stub> stub() { return api::JobService::NewStub(channel_); }
  static api::ListBatchJobRecordsRequest request() {
    api::ListBatchJobRecordsRequest request;
    request.set_project("sample");
    request.set_table_name("driver");
    return request;
  }

  testing::TestIo io_;
  testing::FakeClock clock_{io_.context()};
  FakeSlowReader reader_{io_.executor()};
  testing::FakeAuditLog audit_;
  Pool pool_{2};
  Log log_{LogLevel::kError};
  GrpcOptions options_;
  Sender sender_;
  std::unique_ptr<GrpcServer> server_;
  std::shared_ptr<::grpc::Channel> channel_;
  api::ListBatchJobRecordsResponse response_;
  std::map<std::string, std::string> trailers_;
};

TEST_F(GrpcServerTest, RecordsCrossTheWire) {
  start();
  const ::grpc::Status status = list();
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(response_.records_size(), 1);
  EXPECT_EQ(response_.records(0).id(), "r1");
  EXPECT_EQ(response_.records(0).job_end_time().seconds(), -1);
  EXPECT_FALSE(trailers_.contains("waybill-truncated-manifests"));
  EXPECT_EQ(sender_.peer, "127.0.0.1");
  EXPECT_FALSE(sender_.peer_local);
}

TEST_F(GrpcServerTest, ManifestsLeftOutAreCountedInATrailer) {
  for (int i = 0; i < 3; ++i) {
    domain::Record record = reader_.records.front();
    record.run.id = RecordId("m" + std::to_string(i));
    record.manifest = "h";
    reader_.records.push_back(std::move(record));
  }
  reader_.kept["h"] = {{"a", std::string(3'000'000, 'x')}};
  start();
  const ::grpc::Status status = list();
  ASSERT_TRUE(status.ok()) << status.error_message();  // the client's own limit of 4 MiB held
  EXPECT_EQ(trailers_["waybill-truncated-manifests"], "2");
}

TEST_F(GrpcServerTest, ErrorsCarryCodeAndSentence) {
  reader_.records.clear();
  start();
  const ::grpc::Status status = list();
  EXPECT_EQ(status.error_code(), ::grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(status.error_message(), HasSubstr("driver"));
}

TEST_F(GrpcServerTest, InternalErrorsAreKeptFromClients) {
  reader_.broken = absl::InternalError("secret of the database");
  start();
  const ::grpc::Status status = list();
  EXPECT_EQ(status.error_code(), ::grpc::StatusCode::INTERNAL);
  EXPECT_EQ(status.error_message().find("secret"), std::string::npos);
}

TEST_F(GrpcServerTest, ReadScopedIsForAdminsAndDenialsAreAudited) {
  options_.read_scoped = true;
  start();
  EXPECT_EQ(list().error_code(), ::grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(list("alice").error_code(), ::grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_TRUE(list("admin").ok());
  ASSERT_EQ(audit_.entries.size(), 2u);
  EXPECT_EQ(audit_.entries[1].who, "alice");
  EXPECT_EQ(audit_.entries[1].what, "JobService.ListBatchJobRecords");
  EXPECT_EQ(audit_.entries[1].outcome, "denied");
  server_->reload(false);
  EXPECT_TRUE(list().ok());
}

TEST_F(GrpcServerTest, WhatIsNotOfferedSaysSo) {
  start();
  ::grpc::Status job, registry;
  meanwhile([&] {
    ::grpc::ClientContext context, second;
    api::GetJobResponse none;
    job = stub()->GetJob(&context, api::GetJobRequest(), &none);
    feast::core::ListProjectsResponse projects;
    registry = feast::core::CoreService::NewStub(channel_)->ListProjects(
        &second, feast::core::ListProjectsRequest(), &projects);
  });
  EXPECT_EQ(job.error_code(), ::grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_THAT(job.error_message(), HasSubstr("JobService.GetJob"));
  EXPECT_EQ(registry.error_code(), ::grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_THAT(registry.error_message(), HasSubstr("CoreService.ListProjects"));
}

TEST_F(GrpcServerTest, ARequestLargerThanTheLimitIsRefused) {
  options_.max_request_bytes = 1000;
  start();
  ::grpc::Status status;
  meanwhile([&] {
    ::grpc::ClientContext context;
    api::ListBatchJobRecordsRequest large = request();
    large.set_table_name(std::string(2000, 'x'));
    status = stub()->ListBatchJobRecords(&context, large, &response_);
  });
  EXPECT_EQ(status.error_code(), ::grpc::StatusCode::RESOURCE_EXHAUSTED);
}

TEST_F(GrpcServerTest, TooManyCallsAtOnceAreRefused) {
  options_.max_in_flight = 1;
  reader_.shut();
  start();
  ::grpc::Status first;
  std::thread slow([&] {
    ::grpc::ClientContext context;
    api::ListBatchJobRecordsResponse response;
    first = stub()->ListBatchJobRecords(&context, request(), &response);
  });
  io_.wait_until([&] { return reader_.asked == 1; });
  EXPECT_EQ(list().error_code(), ::grpc::StatusCode::RESOURCE_EXHAUSTED);
  reader_.open();
  io_.drain();
  slow.join();
  EXPECT_TRUE(first.ok()) << first.error_message();
}

TEST_F(GrpcServerTest, StopLetsACallEnd) {
  reader_.shut();
  start();
  ::grpc::Status status;
  std::thread client([&] {
    ::grpc::ClientContext context;
    status = stub()->ListBatchJobRecords(&context, request(), &response_);
  });
  io_.wait_until([&] { return reader_.asked == 1; });
  reader_.open();
  io_.run(server_->stop());
  server_.reset();
  client.join();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response_.records_size(), 1);
}

TEST_F(GrpcServerTest, AClientThatLeavesEndsItsCall) {
  reader_.shut();
  start();
  ::grpc::ClientContext context;
  ::grpc::Status status;
  std::atomic<bool> done = false;
  std::thread client([&] {
    status = stub()->ListBatchJobRecords(&context, request(), &response_);
    done = true;
  });
  io_.wait_until([&] { return reader_.asked == 1; });
  context.TryCancel();
  io_.wait_until([&] { return done.load(); });
  client.join();
  EXPECT_EQ(status.error_code(), ::grpc::StatusCode::CANCELLED);
  reader_.open();
  io_.run(server_->stop());  // nothing of the call is left
  server_.reset();
}

TEST_F(GrpcServerTest, APortThatIsTakenIsNamed) {
  start();
  GrpcOptions second = options_;
  second.address = "127.0.0.1:" + std::to_string(server_->port());
  GrpcServer other(io_.executor(),
                   GrpcServices{reader_, audit_, clock_, pool_, log_,
                                [this](Sender sender) { return identify(std::move(sender)); }},
                   second);
  const absl::Status started = other.start();
  EXPECT_EQ(started.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(message(started), HasSubstr(second.address));
}

}  // namespace
}  // namespace waybill::rpc
