#pragma once

#include <absl/functional/any_invocable.h>
#include <curl/curl.h>

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "waybill/kube/transport.h"

// The two sides of an exchange; only transport.cc and transfer.cc need this.
namespace waybill::kube {

// What one side asks of the transport's thread.
class TransferLoop {
 public:
  virtual ~TransferLoop() = default;
  virtual void resume(const std::shared_ptr<Transfer::Shared>& transfer) = 0;
  virtual void drop(const std::shared_ptr<Transfer::Shared>& transfer) = 0;
};

struct Transfer::Shared : std::enable_shared_from_this<Transfer::Shared> {
  explicit Shared(Exchange what) : exchange(std::move(what)) {}

  const Exchange exchange;
  std::weak_ptr<TransferLoop> loop;

  // The transport's thread alone.
  struct EasyCloser {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  };
  struct ListCloser {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };
  std::unique_ptr<curl_slist, ListCloser> headers;
  std::unique_ptr<curl_slist, ListCloser> connect_to;
  std::unique_ptr<CURL, EasyCloser> easy;
  std::array<char, CURL_ERROR_SIZE> words = {};
  AnswerHead arriving = {};
  [[nodiscard]] absl::Status prepare();
  void take_header(std::string_view line);
  [[nodiscard]] bool take_body(std::string_view bytes);  // false: not now
  // `outcome` is what curl says.
  void finish(CURLcode outcome);

  // Both sides, under the lock.
  std::mutex mutex;
  std::optional<AnswerHead> head;
  std::string body;
  bool paused = false;
  std::optional<absl::Status> end;
  absl::AnyInvocable<void()> waiting;  // tells the reader to look again

  enum class Awaited { kHead, kBody };
  [[nodiscard]] bool has(Awaited what) const;
  void wake();  // with the lock held
  void finish_with(absl::Status status);
  Task<void> changed(Awaited what);
};

}  // namespace waybill::kube
