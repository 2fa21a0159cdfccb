#include "waybill/kube/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <boost/json/serialize.hpp>
#include <string>

#include "tests/support/fake_server.h"
#include "tests/support/test_io.h"
#include "tests/support/watch_notes.h"
#include "waybill/base/status.h"
#include "waybill/base/unique_fd.h"
#include "waybill/kube/list_reader.h"
#include "waybill/kube/reflector.h"

// The client over real sockets, against a scripted server (tests/support/fake_server.h) that misbehaves as no
// API server would on demand. tests/kube holds it against a real one.
namespace waybill::kube {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using waybill::testing::FakeConnection;
using waybill::testing::FakeRequest;
using waybill::testing::FakeServer;

constexpr char kStreamHead[] =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";

std::string chunk(const std::string& bytes) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + bytes + "\r\n";
}

class ClientTest : public ::testing::Test {
 protected:
  ClientTest() : clock_(io_.context()) {}
  ~ClientTest() override { client_ = nullptr; }

  Client& serve(FakeServer::Handler handler, ClientOptions options = {},
                const std::string& token = "s3cret") {
    server_ = std::make_unique<FakeServer>(std::move(handler));
    Access access;
    access.server = server_->url();
    access.token = token;
    access.source = "a test";
    client_ = std::make_unique<Client>(io_.executor(), clock_, std::move(access), std::move(options));
    return *client_;
  }
  absl::StatusOr<std::string> read_all(std::unique_ptr<ByteStream> stream) {
    return io_.run(whole(std::move(stream)));
  }
  static Task<absl::StatusOr<std::string>> whole(std::unique_ptr<ByteStream> stream) {
    std::string body;
    while (true) {
      absl::StatusOr<std::string> bytes = co_await stream->read();
      WB_CO_TRY(bytes);
      if (bytes->empty()) co_return body;
      body += *bytes;
    }
  }
  static ApiRequest request_of(const std::string& path) {
    ApiRequest request;
    request.path = path;
    return request;
  }

  waybill::testing::TestIo io_;
  waybill::testing::FakeClock clock_;
  std::unique_ptr<FakeServer> server_;
  std::unique_ptr<Client> client_;
};

TEST_F(ClientTest, SendsWhatTheApiExpects) {
  Client& client =
      serve([](const FakeRequest&, const FakeConnection& to) { to.answer(200, R"({"ok":true})"); });
  const Resource apps = {"g.io", "v1", "things"};
  ASSERT_TRUE(io_.run(client.create(apps, "ns", {{"kind", "Thing"}})).ok());
  Deletion how;
  how.propagation = "Foreground";
  how.uid = "u";
  ASSERT_TRUE(io_.run(client.remove(apps, "ns", "n", how)).ok());
  ASSERT_TRUE(io_.run(client.patch(apps, "ns", "n", Patch::kApply, "{}", "status", "waybill", true)).ok());
  ASSERT_TRUE(io_.run(client.replace(apps, "ns", {{"metadata", {{"name", "n"}}}})).ok());
  const auto asked = server_->requests();
  EXPECT_EQ(asked[0].method + " " + asked[0].target, "POST /apis/g.io/v1/namespaces/ns/things");
  EXPECT_EQ(asked[0].body, R"({"kind":"Thing","apiVersion":"g.io/v1"})");
  EXPECT_EQ(asked[0].headers.at("content-type"), "application/json");
  EXPECT_EQ(asked[0].headers.at("authorization"), "Bearer s3cret");
  EXPECT_EQ(asked[1].method + " " + asked[1].target, "DELETE /apis/g.io/v1/namespaces/ns/things/n");
  EXPECT_EQ(
      asked[1].body,
      R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Foreground","preconditions":{"uid":"u"}})");
  EXPECT_EQ(asked[2].method + " " + asked[2].target,
            "PATCH /apis/g.io/v1/namespaces/ns/things/n/status?fieldManager=waybill&force=true");
  EXPECT_EQ(asked[2].headers.at("content-type"), "application/apply-patch+yaml");
  EXPECT_EQ(asked[3].method + " " + asked[3].target, "PUT /apis/g.io/v1/namespaces/ns/things/n");
}

TEST_F(ClientTest, RefusalsCarryWhatTheServerSaid) {
  Client& client = serve([](const FakeRequest&, const FakeConnection& to) {
    to.answer(429, R"({"kind":"Status","reason":"TooManyRequests","message":"slow down"})",
              "Retry-After: 7\r\n");
  });
  const auto got = io_.run(client.get(pods(), "ns", "p"));
  EXPECT_EQ(got.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(message(got.status()), "GET /api/v1/namespaces/ns/pods/p: slow down");
  EXPECT_EQ(api_error(got.status())->retry_after, absl::Seconds(7));
}

TEST_F(ClientTest, NoErrorShowsTheToken) {
  Client& client = serve([](const FakeRequest& request, const FakeConnection& to) {
    if (request.target.ends_with("/a")) to.reset();
    if (request.target.ends_with("/b")) to.answer(500, "no");
    if (request.target.ends_with("/c")) to.write("no http at all\r\n\r\n");
    if (request.target.ends_with("/d")) to.answer(200, "[]");
  });
  for (const char* path : {"/a", "/b", "/c", "/d"}) {
    const auto got = io_.run(client.call(request_of(path)));
    EXPECT_EQ(got.status().code(), absl::StatusCode::kUnavailable) << path;
    EXPECT_THAT(got.status().ToString(), Not(HasSubstr("s3cret")));
  }
}

TEST_F(ClientTest, UpdateTakesTheOtherWritesVersionAndTriesAgain) {
  std::atomic<int> writes = 0;
  Client& client = serve([&](const FakeRequest& request, const FakeConnection& to) {
    if (request.method == "GET")
      return to.answer(200, R"({"metadata":{"name":"n","resourceVersion":"5"},"n":1})");
    if (++writes < 3) return to.answer(409, R"({"kind":"Status","reason":"Conflict","message":"changed"})");
    to.answer(200, request.body);
  });
  const auto stored = io_.run(client.update(pods(), "ns", "n", [](boost::json::object& object) {
    object["n"] = 2;
    return absl::OkStatus();
  }));
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_EQ(stored->at("n"), boost::json::value(2));
  EXPECT_EQ(writes, 3);
}

TEST_F(ClientTest, ReflectorPoint11_A401IsAskedOnceMoreWithAFreshToken) {
  std::string path = "/tmp/waybill-token-XXXXXX";
  const UniqueFd file(::mkstemp(path.data()));
  ASSERT_EQ(::write(file.get(), "old", 3), 3);
  serve([&](const FakeRequest& request, const FakeConnection& to) {
    if (request.headers.at("authorization") == "Bearer new") return to.answer(200, "{}");
    EXPECT_EQ(::pwrite(file.get(), "new", 3, 0), 3);
    to.answer(401, R"({"kind":"Status","message":"Unauthorized"})");
  });
  Access access;
  access.server = server_->url();
  access.token_file = path;
  client_ = std::make_unique<Client>(io_.executor(), clock_, access);
  EXPECT_TRUE(io_.run(client_->get(pods(), "ns", "p")).ok());
  EXPECT_EQ(server_->requests().size(), 2U);
  ::unlink(path.c_str());
}

TEST_F(ClientTest, A401ThatStaysIsAnswered) {
  Client& client = serve([](const FakeRequest&, const FakeConnection& to) { to.answer(401, "{}"); });
  EXPECT_EQ(io_.run(client.get(pods(), "ns", "p")).status().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(server_->requests().size(), 1U) << "the same token need not be tried twice";
}

TEST_F(ClientTest, RedirectsAreNotFollowed) {
  Client& client = serve([](const FakeRequest&, const FakeConnection& to) {
    to.answer(302, "", "Location: http://127.0.0.1:1/\r\n");
  });
  EXPECT_EQ(api_error(io_.run(client.get(pods(), "ns", "p")).status())->http, 302);
}

TEST_F(ClientTest, AStreamIsReadAsItComesAndItsBreakIsSeen) {
  Client& client = serve([](const FakeRequest& request, const FakeConnection& to) {
    to.write(kStreamHead + chunk("one") + chunk("two"));
    if (request.target == "/whole") to.write(chunk(""));
    if (request.target == "/reset") to.reset();
  });
  EXPECT_EQ(read_all(client.open(request_of("/whole"))).value_or("?"), "onetwo");
  EXPECT_EQ(read_all(client.open(request_of("/cut"))).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(read_all(client.open(request_of("/reset"))).status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ClientTest, ReflectorPoint17_AStreamThatNobodyReadsStopsTheSender) {
  constexpr std::size_t kWhole = std::size_t{64} << 20U;
  std::atomic<std::size_t> sent = 0;
  Client& client = serve([&](const FakeRequest&, const FakeConnection& to) {
    to.write("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kWhole) + "\r\n\r\n");
    const std::string block(std::size_t{1} << 20U, 'x');
    for (; sent < kWhole; sent += block.size()) to.write(block);
  });
  auto stream = client.open(request_of("/log"));
  const auto first = io_.run(stream->read());
  ASSERT_TRUE(first.ok());
  // The sender runs full: what fits into sockets and buffers is far less than the whole.
  std::size_t before = 1;
  io_.wait_until([&] { return std::exchange(before, sent.load()) == sent.load() && before > 0; });
  EXPECT_LT(sent, kWhole / 2);
  const auto rest = read_all(std::move(stream));
  ASSERT_TRUE(rest.ok()) << rest.status();
  EXPECT_EQ(first->size() + rest->size(), kWhole);
}

TEST_F(ClientTest, AServerThatSaysNothingIsGivenUp) {
  ClientOptions options;
  options.call_timeout = absl::Milliseconds(200);
  Client& client = serve([](const FakeRequest&, const FakeConnection& to) { to.hold(); }, options);
  const auto got = io_.run(client.get(pods(), "ns", "p"));
  EXPECT_EQ(got.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(error_word(got.status()), "timeout");
}

TEST_F(ClientTest, CancelEndsAReadThatWaits) {
  Client& client = serve([](const FakeRequest&, const FakeConnection& to) {
    to.write(kStreamHead);
    to.hold();
  });
  const std::shared_ptr<ByteStream> stream = client.open(request_of("/watch"));
  std::optional<absl::StatusOr<std::string>> got;
  boost::asio::co_spawn(
      io_.context(), stream->read(),
      [&](std::exception_ptr, absl::StatusOr<std::string> bytes) { got = std::move(bytes); });
  io_.wait_until([&] { return !server_->requests().empty(); });
  stream->cancel();
  io_.wait_until([&] { return got.has_value(); });
  EXPECT_EQ(got->status().code(), absl::StatusCode::kCancelled);
}

TEST_F(ClientTest, TheClientsEndEndsItsStreams) {
  Client& client = serve([](const FakeRequest&, const FakeConnection& to) {
    to.write(kStreamHead);
    to.hold();
  });
  const std::shared_ptr<ByteStream> stream = client.open(request_of("/watch"));
  std::optional<absl::StatusOr<std::string>> got;
  boost::asio::co_spawn(
      io_.context(), stream->read(),
      [&](std::exception_ptr, absl::StatusOr<std::string> bytes) { got = std::move(bytes); });
  io_.wait_until([&] { return !server_->requests().empty(); });
  client_ = nullptr;
  io_.wait_until([&] { return got.has_value(); });
  EXPECT_EQ(got->status().code(), absl::StatusCode::kCancelled);
}

TEST_F(ClientTest, AStreamThatOutlivesItsClientIsCanceled) {
  Client& client = serve([](const FakeRequest&, const FakeConnection& to) { to.hold(); });
  auto stream = client.open(request_of("/watch"));
  client_ = nullptr;
  EXPECT_EQ(read_all(std::move(stream)).status().code(), absl::StatusCode::kCancelled);
}

TEST_F(ClientTest, AProxyIsAskedInsteadOfTheServer) {
  serve([](const FakeRequest& asked, const FakeConnection& to) {
    to.answer(asked.method == "CONNECT" ? 403 : 200, "{}");
  });
  Access access;
  access.server = "http://api.example.invalid:6443/base";
  access.proxy_url = server_->url();
  access.source = "a test";
  client_ = std::make_unique<Client>(io_.executor(), clock_, access);
  EXPECT_TRUE(io_.run(client_->send(request_of("/version"))).ok());
  EXPECT_EQ(server_->requests().at(0).target, "http://api.example.invalid:6443/base/version");
  // TLS goes through a tunnel, so that the proxy sees no token.
  access.server = "https://api.example.invalid:6443";
  access.token = "s3cret";
  client_ = std::make_unique<Client>(io_.executor(), clock_, access);
  const auto refused = io_.run(client_->send(request_of("/version")));
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnavailable);
  const FakeRequest tunnel = server_->requests().at(1);
  EXPECT_EQ(tunnel.method + " " + tunnel.target, "CONNECT api.example.invalid:6443");
  EXPECT_EQ(tunnel.headers.count("authorization"), 0U);
}

TEST_F(ClientTest, PodLogsAreAskedForAsTheyShould) {
  Client& client = serve([](const FakeRequest&, const FakeConnection& to) { to.answer(200, "line\n"); });
  PodLog log;
  log.name_space = "ns";
  log.pod = "p";
  log.container = "spark-kubernetes-driver";
  log.follow = true;
  log.since = absl::FromUnixSeconds(1'780'000'000);
  log.tail_lines = 5;
  EXPECT_EQ(read_all(client.pod_log(log)).value_or(""), "line\n");
  EXPECT_EQ(server_->requests().at(0).target,
            "/api/v1/namespaces/ns/pods/p/"
            "log?container=spark-kubernetes-driver&sinceTime=2026-05-28T20%3A26%3A40.000Z&"
            "tailLines=5&follow=true");
}

TEST_F(ClientTest, ReflectorPoint09_AnObjectOfTwentyMebibytesIsPutAsideAndTheWatchGoesOn) {
  Client& client = serve([](const FakeRequest& request, const FakeConnection& to) {
    if (request.target.find("watch=1") == std::string::npos) {
      return to.answer(200, R"({"metadata":{"resourceVersion":"10"},"items":[]})");
    }
    to.write(kStreamHead);
    to.write(chunk(
        R"({"type":"ADDED","object":{"metadata":{"name":"big","uid":"u-big","resourceVersion":"11"},"x":")"));
    const std::string block(std::size_t{1} << 20U, 'x');
    for (int mebibyte = 0; mebibyte < 20; ++mebibyte) to.write(chunk(block));
    to.write(
        chunk("\"}}\n"
              R"({"type":"ADDED","object":{"metadata":{"name":"a","uid":"u-a","resourceVersion":"12"}}})"
              "\n"));
    to.hold();
  });
  Log log(LogLevel::kError);
  waybill::testing::WatchNotes notes;
  ReflectorOptions options;
  options.listing.resource = pods();
  options.streaming_lists = false;
  Reflector reflector(io_.executor(), client, clock_, log, options, notes);
  bool ended = false;
  boost::asio::co_spawn(io_.context(), reflector.run(), [&](std::exception_ptr) { ended = true; });
  io_.wait_until([&] { return notes.has("ADDED a@12"); });
  ASSERT_EQ(notes.letters.size(), 1U);
  EXPECT_EQ(notes.letters[0].name, (ObjectName{"u-big", "", "big", "11"}));
  EXPECT_GT(notes.letters[0].size, std::size_t{20} << 20U);
  reflector.stop();
  io_.wait_until([&] { return ended; });
}

}  // namespace
}  // namespace waybill::kube
