#pragma once

#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/test_io.h"
#include "tests/support/watch_notes.h"
#include "waybill/app/system_clock.h"
#include "waybill/kube/client.h"
#include "waybill/kube/reflector.h"

namespace waybill::testing {

// A real API server with its etcd, started by the scripts of tests/testbed; gone with this object.
class Testbed {
 public:
  explicit Testbed(const std::string& options);
  ~Testbed();
  Testbed(const Testbed&) = delete;
  Testbed& operator=(const Testbed&) = delete;

  // One of the bed's parts: kill, stop, start, restart, pause, resume.
  void part(const std::string& name, const std::string& action) const;
  void wait_until_ready() const;
  // Runs a line of shell with the bed's variables ($TESTBED_ETCD, kubectl on PATH); what it printed.
  std::string shell(const std::string& line) const;
  // Makes etcd forget all revisions before now.
  void compact() const;
  // A kubeconfig of a service account with these rights.
  [[nodiscard]] std::string restricted(const std::string& name, const std::string& verbs,
                                       const std::string& resources) const;
  [[nodiscard]] kube::Access access(const std::string& kubeconfig = "") const;  // "" : of an administrator

 private:
  std::string folder_;
};

// Passes everything on and keeps what was asked.
class ListeningApi : public kube::Api {
 public:
  explicit ListeningApi(kube::Api& api) : api_(api) {}
  Task<absl::StatusOr<std::string>> send(kube::ApiRequest request) override {
    return api_.send(std::move(request));
  }
  std::unique_ptr<kube::ByteStream> open(kube::ApiRequest request) override {
    requests.push_back(request);
    return api_.open(std::move(request));
  }
  // How many requests had that parameter with that value.
  [[nodiscard]] std::size_t count(const std::string& name, const std::string& value) const;
  std::vector<kube::ApiRequest> requests;

 private:
  kube::Api& api_;
};

// A test on a bed that its suite shares.
class TestbedTest : public ::testing::Test {
 protected:
  explicit TestbedTest(const Testbed& bed);
  ~TestbedTest() override;

  static kube::Resource config_maps() { return {"", "v1", "configmaps"}; }
  static boost::json::object config_map(const std::string& name, boost::json::object labels = {});
  // Makes a config map with this test's label; its version.
  std::string make(const std::string& name);
  void patch(const std::string& name, const std::string& body);

  // A reflector over this test's own objects, with times that fit a test.
  kube::ReflectorOptions options() const;
  void start(kube::ReflectorOptions options, kube::Api* api = nullptr);
  void stop();
  void wait_for(const std::string& note);
  void wait_until(const std::function<bool()>& done);
  [[nodiscard]] const kube::ReflectorMetrics& metrics() const { return reflector_->metrics(); }

  const Testbed& bed_;
  TestIo io_;
  app::SystemClock clock_;
  Log log_{LogLevel::kError};
  std::unique_ptr<kube::Client> client_;
  WatchNotes notes_;
  std::string label_;  // of this test alone

 private:
  std::unique_ptr<kube::Reflector> reflector_;
  bool ended_ = false;
};

}  // namespace waybill::testing
