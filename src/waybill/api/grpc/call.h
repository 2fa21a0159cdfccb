#pragma once

// From a gRPC call to a coroutine on the io thread and back. Internal to api/grpc.

#include <absl/status/status.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>

#include "waybill/api/grpc/grpc_server.h"
#include "waybill/base/task.h"
#include "waybill/domain/caller.h"

namespace waybill::rpc {

// What must be known before a call is answered.
enum class Access {
  kRead,   // anybody, unless auth.read_scoped is on: then admins
  kChange  // a known caller
};

// One call. gRPC keeps its context, request and response until the call has finished and been let go.
class Call final : public ::grpc::ServerUnaryReactor {
 public:
  using Work = std::function<Task<absl::Status>(std::shared_ptr<Call>)>;

  explicit Call(::grpc::CallbackServerContext* context) : context_(context) {}

  // True once nobody waits for the answer: the client went or its deadline passed. Any thread.
  [[nodiscard]] bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  // Sent with the answer's status. Before the work ends.
  void add_trailer(const std::string& name, const std::string& value);
  [[nodiscard]] Sender sender() const;

 private:
  friend class Core;
  void OnCancel() override { cancelled_.store(true, std::memory_order_relaxed); }
  void OnDone() override;

  ::grpc::CallbackServerContext* context_;
  std::atomic<bool> cancelled_ = false;
  std::shared_ptr<Call> self_;  // gRPC holds on to the call from its start to OnDone()
};

// What the services share: how a call is begun, who may, and the ports.
class Core : public std::enable_shared_from_this<Core> {
 public:
  Core(boost::asio::any_io_executor io, GrpcServices services, GrpcOptions options);
  ~Core();

  // Any thread of gRPC. `work` runs on the io thread once the caller may do `access`; its status is the
  // call's.
  ::grpc::ServerUnaryReactor* answer(::grpc::CallbackServerContext* context, std::string method,
                                     Access access, Call::Work work);
  // UNIMPLEMENTED with a sentence.
  static ::grpc::ServerUnaryReactor* refuse(::grpc::CallbackServerContext* context, const std::string& method,
                                            const std::string& why);

  GrpcServices services;
  GrpcOptions options;

  absl::Status start();
  [[nodiscard]] int port() const { return port_; }
  static Task<void> stop(std::shared_ptr<Core> self);

 private:
  struct Listening;
  static Task<void> run(std::shared_ptr<Core> self, std::shared_ptr<Call> call, std::string method,
                        Access access, Call::Work work);
  static Task<absl::Status> admit(std::shared_ptr<Core> self, Sender sender, std::string method,
                                  Access access);
  static Task<void> append_audit(std::shared_ptr<Core> self, ports::AuditEntry entry);
  void audit_denial(const domain::Caller& caller, const std::string& method);

  boost::asio::any_io_executor io_;
  std::atomic<int> in_flight_ = 0;
  int audits_ = 0;                         // rows on their way to the audit log
  boost::asio::steady_timer audits_done_;  // cancelled when the last of them has arrived
  std::unique_ptr<Listening> listening_;
  int port_ = 0;
};

}  // namespace waybill::rpc
