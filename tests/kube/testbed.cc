#include "tests/kube/testbed.h"

#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "waybill/base/environment.h"
#include "waybill/base/status.h"

namespace waybill::testing {
namespace {

constexpr std::chrono::minutes kPatience{5};

// The output of a line of shell; throws if it fails.
std::string run(const std::string& line) {
  FILE* pipe = ::popen(("bash -c '" + line + "' 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no process is left");
  std::string output;
  char block[4096];
  while (const std::size_t got = ::fread(block, 1, sizeof block, pipe)) output.append(block, got);
  if (::pclose(pipe) != 0) throw std::runtime_error(line + ": " + output);
  return output;
}

std::string script(const std::string& name) { return std::string(WAYBILL_TESTBED_SCRIPTS) + "/" + name; }

}  // namespace

Testbed::Testbed(const std::string& options) {
  std::string name = "/tmp/waybill-testbed-XXXXXX";
  folder_ = ::mkdtemp(name.data());
  run(script("up") + " " + folder_ + " " + options);
}

Testbed::~Testbed() {
  try {
    run(script("down") + " " + folder_);
  } catch (const std::exception& problem) {
    ADD_FAILURE() << problem.what();
  }
  std::filesystem::remove_all(folder_);
}

void Testbed::part(const std::string& name, const std::string& action) const {
  run(script("part") + " " + folder_ + " " + name + " " + action);
}

void Testbed::wait_until_ready() const {
  shell(
      "for try in $(seq 600); do "
      "curl -sf --max-time 5 --cacert $TESTBED_CA --cert $TESTBED_CERT --key $TESTBED_KEY "
      "$TESTBED_SERVER/readyz "
      ">/dev/null && exit 0; sleep 0.2; done; exit 1");
}

std::string Testbed::shell(const std::string& line) const { return run(". " + folder_ + "/env; " + line); }

void Testbed::compact() const {
  const std::string key = R"("{\"key\": \"AA==\"}")";
  const std::string body = R"("{\"revision\": $now}")";
  shell("now=$(curl -sf $TESTBED_ETCD/v3/kv/range -d " + key + " | jq -r .header.revision); " +
        "curl -sf $TESTBED_ETCD/v3/kv/compaction -d " + body);
}

std::string Testbed::restricted(const std::string& name, const std::string& verbs,
                                const std::string& resources) const {
  std::string path =
      run(script("restricted") + " " + folder_ + " default " + name + " " + verbs + " " + resources);
  path.erase(path.find_last_not_of('\n') + 1);
  return path;
}

kube::Access Testbed::access(const std::string& kubeconfig) const {
  kube::AccessChoice choice;
  choice.kubeconfig = kubeconfig.empty() ? folder_ + "/kubeconfig" : kubeconfig;
  return kube::find_access(choice, process_environment()).value();
}

std::size_t ListeningApi::count(const std::string& name, const std::string& value) const {
  return static_cast<std::size_t>(std::count_if(requests.begin(), requests.end(), [&](const auto& request) {
    return std::find(request.query.begin(), request.query.end(), std::pair(name, value)) !=
           request.query.end();
  }));
}

TestbedTest::TestbedTest(const Testbed& bed)
    : bed_(bed), client_(std::make_unique<kube::Client>(io_.executor(), clock_, bed.access())) {
  label_ = ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::transform(label_.begin(), label_.end(), label_.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  label_ = label_.substr(0, 60) + "-x";  // a label's value ends with a letter
}

TestbedTest::~TestbedTest() {
  if (reflector_ != nullptr) stop();
  client_ = nullptr;
  io_.drain();
}

boost::json::object TestbedTest::config_map(const std::string& name, boost::json::object labels) {
  return {{"kind", "ConfigMap"}, {"metadata", {{"name", name}, {"labels", std::move(labels)}}}};
}

std::string TestbedTest::make(const std::string& name) {
  const auto made = io_.run(client_->create(config_maps(), "default", config_map(name, {{"test", label_}})));
  if (!made.ok()) throw std::runtime_error(message(made.status()));
  return kube::name_of(*made).resource_version;
}

void TestbedTest::patch(const std::string& name, const std::string& body) {
  const auto patched = io_.run(client_->patch(config_maps(), "default", name, kube::Patch::kMerge, body));
  if (!patched.ok()) throw std::runtime_error(message(patched.status()));
}

kube::ReflectorOptions TestbedTest::options() const {
  kube::ReflectorOptions options;
  options.listing.resource = config_maps();
  options.listing.name_space = "default";
  options.listing.label_selector = "test=" + label_;
  options.times.backoff_first = absl::Milliseconds(100);
  options.times.backoff_most = absl::Seconds(1);
  return options;
}

void TestbedTest::start(kube::ReflectorOptions options, kube::Api* api) {
  reflector_ = std::make_unique<kube::Reflector>(io_.executor(), api == nullptr ? *client_ : *api, clock_,
                                                 log_, std::move(options), notes_);
  ended_ = false;
  boost::asio::co_spawn(io_.context(), reflector_->run(), [this](std::exception_ptr) { ended_ = true; });
}

void TestbedTest::stop() {
  reflector_->stop();
  wait_until([this] { return ended_; });
  reflector_ = nullptr;
}

void TestbedTest::wait_for(const std::string& note) {
  wait_until([&] {
    return std::any_of(notes_.lines.begin(), notes_.lines.end(),
                       [&](const std::string& line) { return line.starts_with(note); });
  });
}

void TestbedTest::wait_until(const std::function<bool()>& done) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) {
      std::string told;
      for (const std::string& line : notes_.lines) told += line + "\n";
      throw std::runtime_error("waited in vain; the reflector told:\n" + told);
    }
    io_.context().restart();
    io_.context().run_one_for(std::chrono::milliseconds(20));
  }
}

}  // namespace waybill::testing
