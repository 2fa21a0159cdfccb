#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>

#include "tests/kube/testbed.h"
#include "waybill/base/status.h"

// The client against an API server as it is usually run, and what happens to that server. The names of the
// points are those of src/waybill/kube/reflector_test.cc.
namespace waybill::kube {
namespace {

using ::testing::HasSubstr;
using waybill::testing::ListeningApi;
using waybill::testing::Testbed;

class CachedServer : public waybill::testing::TestbedTest {
 protected:
  static void SetUpTestSuite() { bed = std::make_unique<Testbed>("--no-controller-manager"); }
  static void TearDownTestSuite() { bed = nullptr; }
  CachedServer() : TestbedTest(*bed) {}
  static std::unique_ptr<Testbed> bed;

  // A reflector that is used to a watch of that many seconds.
  ReflectorOptions short_watches(int seconds) const {
    ReflectorOptions made = options();
    made.times.watch_least = absl::Seconds(seconds);
    made.times.watch_most = absl::Seconds(seconds);
    made.times.watchdog_slack = absl::Seconds(2);
    made.times.list_silence = absl::Seconds(2);
    made.times.suspect_watch = absl::Milliseconds(100);
    return made;
  }
};
std::unique_ptr<Testbed> CachedServer::bed;

TEST_F(CachedServer, ObjectsAreMadeReadChangedAndRemoved) {
  const auto made = io_.run(client_->create(config_maps(), "default", config_map("calls")));
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(io_.run(client_->create(config_maps(), "default", config_map("calls"))).status().code(),
            absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(io_.run(client_->create(config_maps(), "default", {{"kind", "ConfigMap"}, {"data", 7}}))
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);

  ASSERT_TRUE(
      io_.run(client_->patch(config_maps(), "default", "calls", Patch::kMerge, R"({"data":{"a":"1"}})"))
          .ok());
  boost::json::object stale = *made;
  EXPECT_TRUE(is_conflict(io_.run(client_->replace(config_maps(), "default", stale)).status()));
  ASSERT_TRUE(io_.run(client_->patch(config_maps(), "default", "calls", Patch::kJson,
                                     R"([{"op":"add","path":"/data/b","value":"2"}])"))
                  .ok());
  const std::string applied = R"({"apiVersion":"v1","kind":"ConfigMap","data":{"c":"3"}})";
  ASSERT_TRUE(
      io_.run(client_->patch(config_maps(), "default", "calls", Patch::kApply, applied, "", "waybill", true))
          .ok());

  bool disturbed = false;
  const auto updated =
      io_.run(client_->update(config_maps(), "default", "calls", [&](boost::json::object& object) {
        if (!std::exchange(disturbed, true)) bed_.shell("kubectl label configmap calls disturbed=yes");
        object["data"].as_object()["d"] = "4";
        return absl::OkStatus();
      }));
  ASSERT_TRUE(updated.ok()) << updated.status();
  const auto read = io_.run(client_->get(config_maps(), "default", "calls"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(boost::json::serialize(read->at("data")), R"({"a":"1","b":"2","c":"3","d":"4"})");
  EXPECT_EQ(read->at("metadata").at("labels").at("disturbed"), "yes");

  Deletion another;
  another.uid = "00000000-0000-0000-0000-000000000000";
  EXPECT_TRUE(is_conflict(io_.run(client_->remove(config_maps(), "default", "calls", another))));
  Deletion right;
  right.uid = name_of(*made).uid;
  right.propagation = "Background";
  EXPECT_TRUE(io_.run(client_->remove(config_maps(), "default", "calls", right)).ok());
  EXPECT_TRUE(absl::IsNotFound(io_.run(client_->get(config_maps(), "default", "calls")).status()));
  EXPECT_TRUE(absl::IsNotFound(io_.run(client_->remove(config_maps(), "default", "calls"))));
}

TEST_F(CachedServer, KindsAndRightsCanBeAskedFor) {
  EXPECT_EQ(io_.run(client_->serves({"sparkoperator.k8s.io", "v1beta2", "sparkapplications"})).value(), true);
  EXPECT_EQ(io_.run(client_->serves({"sparkoperator.k8s.io", "v1beta2", "sparkthings"})).value(), false);
  EXPECT_EQ(io_.run(client_->serves({"nobody.example.com", "v1", "things"})).value(), false);
  EXPECT_EQ(io_.run(client_->allows("list", config_maps(), "default")).value(), true);
}

TEST_F(CachedServer, TheServersNameAndItsCertificateAreChecked) {
  const auto outcome = [&](Access access) {
    Client client(io_.executor(), clock_, std::move(access));
    return io_.run(client.get(namespaces(), "", "default")).status();
  };
  Access access = bed_.access();
  access.tls_server_name = "wrong.example.com";
  EXPECT_EQ(error_word(outcome(access)), "tls");
  access.tls_server_name = "kubernetes.default.svc";
  EXPECT_TRUE(outcome(access).ok()) << outcome(access);
  access = bed_.access();
  access.ca_data = "";  // the system's authorities don't know it
  EXPECT_EQ(outcome(access).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(error_word(outcome(access)), "tls");
  access.insecure_skip_tls_verify = true;
  EXPECT_TRUE(outcome(access).ok());
  access = bed_.access();
  access.client_certificate_data = access.client_key_data = "";
  access.token = "wrong";
  EXPECT_EQ(outcome(access).code(), absl::StatusCode::kUnauthenticated);
}

TEST_F(CachedServer, LogsOfAPodAreFollowed) {
  bed_.shell(
      R"(printf "%s" "apiVersion: v1
kind: Pod
metadata:
  name: talker
  annotations: {testbed/pending-seconds: \"0\", testbed/run-seconds: \"3\", testbed/log: hello, testbed/log-lines: \"20\"}
spec: {containers: [{name: main, image: none}], terminationGracePeriodSeconds: 0}" | kubectl create -f -)");
  wait_until([&] {
    const auto pod = io_.run(client_->get(pods(), "default", "talker"));
    return pod.ok() && pod->at("status").at("phase") == "Running";
  });
  PodLog log;
  log.name_space = "default";
  log.pod = "talker";
  log.follow = true;
  std::string text;
  const std::unique_ptr<ByteStream> stream = client_->pod_log(log);
  while (true) {
    const auto bytes = io_.run(stream->read());
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    if (bytes->empty()) break;
    text += *bytes;
  }
  EXPECT_THAT(text, HasSubstr("hello"));
  EXPECT_GE(std::count(text.begin(), text.end(), '\n'), 20);
  log.follow = false;
  log.tail_lines = 2;
  const auto tail = io_.run(client_->pod_log(log)->read());
  ASSERT_TRUE(tail.ok()) << tail.status();
  EXPECT_EQ(std::count(tail->begin(), tail->end(), '\n'), 2);
  log.pod = "nobody";
  EXPECT_TRUE(absl::IsNotFound(io_.run(client_->pod_log(log)->read()).status()));
}

TEST_F(CachedServer, ReflectorPoint01_ListsInPagesThenWatches) {
  for (const char* name : {"p1", "p2", "p3", "p4", "p5"}) make(name);
  ListeningApi api(*client_);
  ReflectorOptions paged = options();
  paged.listing.page_size = 2;
  paged.streaming_lists = false;
  start(paged, &api);
  wait_for("end");
  EXPECT_EQ(notes_.count_starting("item p"), 5U);
  EXPECT_EQ(api.count("limit", "2"), 3U);
  make("p6");
  wait_for("ADDED p6@");
  EXPECT_EQ(notes_.count("begin"), 1U);
  stop();
}

TEST_F(CachedServer, ReflectorPoint07_AStreamingListOfARealServerIsTaken) {
  make("s1");
  make("s2");
  ListeningApi api(*client_);
  start(options(), &api);
  wait_for("end");
  EXPECT_EQ(notes_.count_starting("item s"), 2U);
  EXPECT_EQ(api.requests.size(), 1U) << "the list was the watch's";
  patch("s1", R"({"data":{"x":"y"}})");
  wait_for("MODIFIED s1@");
  stop();
}

TEST_F(CachedServer, ReflectorPoint08_WatchesThatTheServerEndsAreNormal) {
  make("e0");
  start(short_watches(1));
  wait_for("end");
  for (const char* name : {"e1", "e2", "e3"}) {
    const std::size_t watches = metrics().watches;
    make(name);
    wait_for(std::string("ADDED ") + name);
    wait_until([&] { return metrics().watches > watches; });
  }
  EXPECT_EQ(notes_.count("begin"), 1U);
  EXPECT_EQ(notes_.count_starting("ADDED"), 3U) << "nothing came twice";
  EXPECT_TRUE(metrics().last_error.ok()) << metrics().last_error;
  stop();
}

TEST_F(CachedServer, ReflectorPoint06_AStoredPositionGoesOnWithWhatCameMeanwhile) {
  make("c1");
  start(options());
  wait_for("end");
  const std::string position = notes_.lines.back().substr(4);
  stop();
  notes_.lines.clear();
  make("c2");
  ReflectorOptions resumed = options();
  resumed.start_at = position;
  start(resumed);
  wait_for("ADDED c2");
  EXPECT_EQ(notes_.count("begin"), 0U);
  EXPECT_EQ(notes_.count_starting("ADDED"), 1U);
  stop();
}

TEST_F(CachedServer, ReflectorPoint05_APositionThatTheServerHasNotReachedListsAgain) {
  make("f1");
  ReflectorOptions ahead = options();
  ahead.start_at = "900000000";
  start(ahead);
  wait_for("end");
  EXPECT_EQ(notes_.count_starting("item f1"), 1U);
  EXPECT_EQ(metrics().relists, 1U);
  stop();
}

TEST_F(CachedServer, ReflectorPoint15_AnObjectThatLeftTheSelectionLooksDeletedAndIsStillThere) {
  make("r1");
  start(options());
  wait_for("end");
  patch("r1", R"({"metadata":{"labels":{"test":null}}})");
  wait_for("DELETED r1@");
  EXPECT_TRUE(io_.run(client_->get(config_maps(), "default", "r1")).ok());
  stop();
}

TEST_F(CachedServer, ReflectorPoint10_ASilentServerIsFoundOut) {
  make("h1");
  start(short_watches(2));
  wait_for("end");
  bed_.part("kube-apiserver", "pause");
  wait_until([&] { return metrics().watchdog_ends > 0; });
  bed_.part("kube-apiserver", "resume");
  make("h2");
  wait_for("ADDED h2");
  stop();
}

TEST_F(CachedServer, ReflectorPoint10_AServerThatIsKilledIsFoundAgain) {
  make("k1");
  start(options());
  wait_for("end");
  bed_.part("kube-apiserver", "kill");
  wait_until([&] { return !metrics().last_error.ok(); });
  bed_.part("kube-apiserver", "start");
  bed_.wait_until_ready();
  make("k2");
  wait_until([&] { return notes_.count_starting("ADDED k2") + notes_.count_starting("item k2") > 0; });
  stop();
}

TEST_F(CachedServer, ReflectorPoint02_APositionFromBeforeTheServersStartIsForgottenAndListsAgain) {
  const std::string position = make("o1");
  make("o2");
  make("o3");
  bed_.part("kube-apiserver", "restart");
  bed_.wait_until_ready();
  ReflectorOptions resumed = options();
  resumed.start_at = position;
  start(resumed);
  wait_for("end");
  EXPECT_EQ(notes_.count_starting("item o"), 3U);
  EXPECT_EQ(metrics().relists, 1U);
  stop();
}

TEST_F(CachedServer, ReflectorPoint04_AListThatHangsWithTheStoreNeverEnds) {
  make("g1");
  bed_.part("etcd", "pause");
  ReflectorOptions hasty = options();
  hasty.streaming_lists = false;
  hasty.times.list_silence = absl::Seconds(1);
  hasty.listing.resource = {"", "v1", "secrets"};  // not asked for before: no answer is at hand
  start(hasty);
  wait_until([&] { return notes_.count("begin") > 0; });
  for (int look = 0; look < 50; ++look) io_.context().run_one_for(std::chrono::milliseconds(20));
  EXPECT_EQ(notes_.count_starting("end"), 0U);
  bed_.part("etcd", "resume");
  wait_for("end");
  stop();
}

}  // namespace
}  // namespace waybill::kube
