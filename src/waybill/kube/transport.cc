#include "waybill/kube/transport.h"

#include <signal.h>

#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "waybill/base/status.h"
#include "waybill/kube/transfer.h"

namespace waybill::kube {
namespace {

constexpr int kIdleMilliseconds = 60'000;  // an upper bound: curl knows its timers, and new work wakes it
constexpr long kKeptConnections = 16;

struct MultiCloser {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};

}  // namespace

struct Transport::Loop : TransferLoop, std::enable_shared_from_this<Transport::Loop> {
  using Ref = std::shared_ptr<Transfer::Shared>;

  Loop() : multi(curl_multi_init()) {
    curl_multi_setopt(multi.get(), CURLMOPT_MAXCONNECTS, kKeptConnections);
  }

  void add(const Ref& transfer) {
    if (!ask(added, transfer)) transfer->finish_with(stopped());
  }
  void resume(const Ref& transfer) override { ask(resumed, transfer); }
  void drop(const Ref& transfer) override { ask(dropped, transfer); }

  bool ask(std::vector<Ref>& queue, const Ref& transfer) {
    const std::scoped_lock lock(mutex);
    if (stopping) return false;
    queue.push_back(transfer);
    curl_multi_wakeup(multi.get());
    return true;
  }

  void stop() {
    {
      const std::scoped_lock lock(mutex);
      stopping = true;
      curl_multi_wakeup(multi.get());
    }
    if (thread.joinable()) thread.join();
  }

  static absl::Status stopped() {
    return error(absl::StatusCode::kCancelled, "canceled", "the client was stopped");
  }

  void run() {
    while (take_work()) {
      int running = 0;
      curl_multi_perform(multi.get(), &running);
      finish_done();
      curl_multi_poll(multi.get(), nullptr, 0, kIdleMilliseconds, nullptr);
    }
    while (!active.empty()) {
      const Ref transfer = active.begin()->second;
      leave(transfer);
      transfer->finish_with(stopped());
    }
  }

  // False: the transport is being stopped.
  bool take_work() {
    std::vector<Ref> to_add;
    std::vector<Ref> to_resume;
    std::vector<Ref> to_drop;
    bool go_on = true;
    {
      const std::scoped_lock lock(mutex);
      to_add.swap(added);
      to_resume.swap(resumed);
      to_drop.swap(dropped);
      go_on = !stopping;
    }
    for (const Ref& transfer : to_add) enter(transfer);
    for (const Ref& transfer : to_resume) {
      if (active.contains(transfer.get())) curl_easy_pause(transfer->easy.get(), CURLPAUSE_CONT);
    }
    for (const Ref& transfer : to_drop) leave(transfer);
    return go_on;
  }

  void enter(const Ref& transfer) {
    if (const absl::Status problem = transfer->prepare(); !problem.ok()) {
      transfer->finish_with(problem);
      return;
    }
    active[transfer.get()] = transfer;
    curl_multi_add_handle(multi.get(), transfer->easy.get());
  }

  void leave(const Ref& transfer) {
    if (active.erase(transfer.get()) == 0) return;
    curl_multi_remove_handle(multi.get(), transfer->easy.get());
    transfer->easy.reset();
  }

  void finish_done() {
    int left = 0;
    while (const CURLMsg* told = curl_multi_info_read(multi.get(), &left)) {
      if (told->msg != CURLMSG_DONE) continue;
      const CURLcode outcome = told->data.result;
      char* self = nullptr;
      curl_easy_getinfo(told->easy_handle, CURLINFO_PRIVATE, &self);
      const auto found = active.find(reinterpret_cast<Transfer::Shared*>(self));
      if (found == active.end()) continue;
      const Ref transfer = found->second;
      leave(transfer);
      transfer->finish(outcome);
    }
  }

  std::unique_ptr<CURLM, MultiCloser> multi;
  std::thread thread;
  std::map<const Transfer::Shared*, Ref> active;  // the thread's own

  std::mutex mutex;
  std::vector<Ref> added;
  std::vector<Ref> resumed;
  std::vector<Ref> dropped;
  bool stopping = false;
};

Transport::Transport() : loop_(std::make_shared<Loop>()) {
  // Signals are for the main thread.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  loop_->thread = std::thread([loop = loop_.get()] { loop->run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Transport::~Transport() { stop(); }

void Transport::stop() { loop_->stop(); }

std::unique_ptr<Transfer> Transport::start(Exchange exchange) {
  auto shared = std::make_shared<Transfer::Shared>(std::move(exchange));
  shared->loop = loop_;
  loop_->add(shared);
  return std::make_unique<Transfer>(std::move(shared));
}

}  // namespace waybill::kube
