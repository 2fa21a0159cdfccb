#pragma once

// The API over an engine and stores that are in memory, without a socket.

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/fake_record_reader.h"
#include "tests/support/test_io.h"
#include "waybill/api/rest/fake_stores_test.h"
#include "waybill/api/rest/gateway.h"
#include "waybill/api/rest/rest_server.h"
#include "waybill/base/status.h"

namespace waybill::rest {

// Answers what it was given; keeps what it was asked.
class FakeGateway : public Gateway {
 public:
  std::shared_ptr<domain::Catalog> entries = std::make_shared<domain::Catalog>();
  std::vector<engine::SubmitRequest> submits;
  std::function<absl::StatusOr<engine::Submitted>(const engine::SubmitRequest&, const domain::Caller&)>
      on_submit;
  std::vector<domain::JobSpec> bulk;
  std::string bulk_key;
  std::vector<std::string> cancels;
  std::vector<ports::JobFilter> cancel_filters;
  absl::Status cancel_status;
  std::optional<boost::json::object> rerun_context;
  std::string rerun_key;
  std::optional<domain::Command> put;
  std::vector<engine::HealthCheck> checks;
  absl::Status check_status, ready_status, drop_status;

  static domain::Job stored(const domain::JobSpec& spec, const domain::Caller& caller) {
    domain::Job job;
    job.id = JobId("0190aaaa-0000-7000-8000-000000000001");
    job.spec = spec;
    job.spec.user = caller.name;
    job.created_at = job.updated_at = absl::FromUnixSeconds(1'780'000'000);
    return job;
  }

  Task<absl::StatusOr<engine::Submitted>> submit(engine::SubmitRequest request,
                                                 domain::Caller caller) override {
    submits.push_back(request);
    if (on_submit) co_return on_submit(request, caller);
    engine::Submitted submitted;
    submitted.job = stored(request.spec, caller);
    co_return submitted;
  }
  Task<absl::StatusOr<std::vector<absl::StatusOr<engine::Submitted>>>> submit_all(
      std::vector<domain::JobSpec> specs, bool, std::string key, domain::Caller caller) override {
    bulk_key = std::move(key);
    std::vector<absl::StatusOr<engine::Submitted>> answers;
    for (const domain::JobSpec& spec : specs) {
      if (spec.name == "nowhere") {
        answers.emplace_back(
            error(absl::StatusCode::kInvalidArgument, "no_route", "command-cluster pair is not found"));
        continue;
      }
      engine::Submitted submitted;
      submitted.job = stored(spec, caller);
      answers.emplace_back(std::move(submitted));
    }
    bulk = std::move(specs);
    co_return answers;
  }
  Task<absl::StatusOr<engine::Submitted>> rerun(JobId id, std::optional<boost::json::object> context,
                                                domain::Caller caller, std::string idempotency_key) override {
    rerun_context = std::move(context);
    rerun_key = std::move(idempotency_key);
    engine::Submitted submitted;
    submitted.job = stored({}, caller);
    submitted.job.spec.rerun_of = id;
    co_return submitted;
  }
  Task<JobAnswer> cancel(JobId id, domain::Caller) override {
    cancels.push_back(id.str());
    if (!cancel_status.ok()) co_return cancel_status;
    co_return domain::Job();
  }
  Task<std::vector<std::pair<JobId, JobAnswer>>> cancel_all(std::vector<JobId> ids, domain::Caller) override {
    std::vector<std::pair<JobId, JobAnswer>> answers;
    for (JobId& id : ids) {
      JobAnswer answer = domain::Job();
      if (id.str() == "gone") answer = not_found("no such row");
      answers.emplace_back(std::move(id), std::move(answer));
    }
    co_return answers;
  }
  Task<absl::StatusOr<std::vector<std::pair<JobId, JobAnswer>>>> cancel_matching(ports::JobFilter filter,
                                                                                 domain::Caller) override {
    cancel_filters.push_back(std::move(filter));
    co_return std::vector<std::pair<JobId, JobAnswer>>();
  }
  Task<JobAnswer> render_again(JobId id, domain::Caller) override {
    domain::Job job;
    job.id = std::move(id);
    co_return job;
  }
  [[nodiscard]] std::shared_ptr<const domain::Catalog> catalog() const override { return entries; }
  Task<CommandAnswer> put_command(domain::Command entry, domain::Caller) override {
    put = entry;
    co_return std::make_shared<const domain::Command>(std::move(entry));
  }
  Task<ClusterAnswer> put_cluster(domain::Cluster entry, domain::Caller) override {
    co_return std::make_shared<const domain::Cluster>(std::move(entry));
  }
  Task<CommandAnswer> put_status(CommandId id, domain::EntryStatus status, domain::Caller) override {
    const auto found = entries->commands.find(id);
    if (found == entries->commands.end()) co_return not_found("no command");
    auto entry = std::make_shared<domain::Command>(*found->second);
    entry->status = status;
    co_return std::shared_ptr<const domain::Command>(std::move(entry));
  }
  Task<ClusterAnswer> put_status(ClusterId, domain::EntryStatus, domain::Caller) override {
    co_return not_found("no cluster");
  }
  Task<absl::Status> drop_override(ports::EntryKind, std::string, domain::Caller) override {
    co_return drop_status;
  }
  Task<std::vector<engine::HealthCheck>> check_all() override { co_return checks; }
  Task<absl::StatusOr<std::vector<engine::HealthCheck>>> check(ClusterId) override {
    if (!check_status.ok()) co_return check_status;
    co_return checks;
  }
  [[nodiscard]] bool healthy(const ClusterId&) const override { return true; }
  [[nodiscard]] absl::Status ready() const override { return ready_status; }
  [[nodiscard]] int running() const override { return 2; }
};

// The API over all of the above, without a socket.
class ApiFixture : public ::testing::Test {
 protected:
  struct Answer {
    unsigned status = 0;
    std::string text;
    boost::json::value json;
    Headers headers;
    Reply reply;
    [[nodiscard]] std::string header(std::string_view name) const {
      const std::string* value = headers.find(name);
      return value == nullptr ? "" : *value;
    }
  };

  ApiFixture() { options_.auth.admins = {"admin"}; }
  ~ApiFixture() override {
    if (server_) io_.run(server_->stop());
  }

  // Call before the first ask() to change options_.
  RestServer& server() {
    if (!server_) {
      server_ = std::make_unique<RestServer>(
          io_.executor(),
          Services{gateway_, jobs_, events_, audit_, logs_, results_, stats_, records_, changes_, clock_,
                   pool_, pool_, log_, redactor_, [this] { return reload_(); }, [this] { return watches_; }},
          options_);
      options_.http.address = "127.0.0.1:0";
      const absl::Status started = server_->start();
      EXPECT_TRUE(started.ok()) << started;
    }
    return *server_;
  }

  Request request(const std::string& call, std::string body = "", const std::string& user = "alice") {
    Request request;
    const std::size_t space = call.find(' ');
    request.method_name = call.substr(0, space);
    request.method = method(request.method_name);
    request.target = call.substr(space + 1);
    if (!request.target.starts_with("//")) {
      request.target = "/api/v1" + request.target;
    } else {
      request.target.erase(0, 1);
    }
    request.body = std::move(body);
    request.peer = "127.0.0.1";
    request.headers.add("Host", "waybill.example.com");
    if (!user.empty()) request.headers.add("X-Heimdall-User", user);
    return request;
  }
  Answer ask(Request asked) {
    Answer answer;
    std::optional<Reply> reply;
    RestServer& api = server();
    reply = io_.run(answered(api, std::make_shared<Request>(std::move(asked))));
    answer.status = reply->status;
    answer.text = std::string(reply->content());
    answer.headers = reply->headers;
    boost::system::error_code ignored;
    if (reply->content_type == "application/json") answer.json = boost::json::parse(answer.text, ignored);
    answer.reply = *std::move(reply);
    io_.drain();
    return answer;
  }
  Answer ask(const std::string& call, std::string body = "", const std::string& user = "alice") {
    return ask(request(call, std::move(body), user));
  }

  domain::Job& add_job(const std::string& id, const std::string& user = "alice") {
    domain::Job& job = jobs_.jobs[id];
    job.id = JobId(id);
    job.spec.user = user;
    job.spec.name = "n";
    job.created_at = job.updated_at = absl::FromUnixSeconds(1'780'000'000);
    return job;
  }

  testing::TestIo io_;
  testing::FakeClock clock_{io_.context()};
  FakeGateway gateway_;
  FakeJobStore jobs_;
  FakeEventStore events_;
  FakeAuditLog audit_;
  FakeLogStore logs_;
  FakeResultStore results_;
  FakeStatsStore stats_;
  testing::FakeRecordReader records_;
  FakeChangeFeed changes_;
  Pool pool_{1};
  Log log_{LogLevel::kError};
  Redactor redactor_;
  RestOptions options_;
  std::vector<ports::WatchReport> watches_;
  std::function<Task<absl::Status>()> reload_ = []() -> Task<absl::Status> { co_return absl::OkStatus(); };
  std::unique_ptr<RestServer> server_;

 private:
  static Task<Reply> answered(RestServer& api, std::shared_ptr<Request> request) {
    Reply reply = co_await api.answer(std::move(request));
    co_return reply;
  }
  static Method method(const std::string& name) {
    for (const Method known : {Method::kGet, Method::kHead, Method::kPost, Method::kPut, Method::kDelete,
                               Method::kPatch, Method::kOptions}) {
      if (to_string(known) == name) return known;
    }
    return Method::kOther;
  }
};

}  // namespace waybill::rest
