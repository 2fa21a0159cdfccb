#include "waybill/api/grpc/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <string_view>
#include <utility>

#include "waybill/api/grpc/status.h"
#include "waybill/base/status.h"

namespace waybill::rpc {
namespace {

constexpr int kMostAudits = 256;  // rows on their way; more: a flood, told in the log only

// "ipv4:10.0.0.1:4711" and "ipv6:%5B::1%5D:4711" as the address alone, "unix:…" as "unix".
std::string address_of(std::string_view peer) {
  if (peer.starts_with("unix")) return "unix";
  const std::size_t scheme = peer.find(':');
  std::string address(peer.substr(scheme == std::string_view::npos ? 0 : scheme + 1));
  address.resize(std::min(address.rfind(':'), address.size()));
  for (const std::string_view bracket : {"%5B", "%5D", "[", "]"}) {
    const std::size_t at = address.find(bracket);
    if (at != std::string::npos) address.erase(at, bracket.size());
  }
  return address;
}

std::string_view text_of(const ::grpc::string_ref& text) { return {text.data(), text.size()}; }

}  // namespace

void Call::add_trailer(const std::string& name, const std::string& value) {
  context_->AddTrailingMetadata(name, value);
}

Sender Call::sender() const {
  Sender sender;
  sender.peer = address_of(context_->peer());
  sender.peer_local = sender.peer == "unix";
  for (const auto& [name, value] : context_->client_metadata()) {
    if (text_of(name).ends_with("-bin")) continue;
    sender.metadata.emplace_back(text_of(name), text_of(value));
  }
  const auto tls = context_->auth_context();
  if (tls != nullptr && tls->IsPeerAuthenticated()) {
    const auto names = tls->FindPropertyValues("x509_common_name");
    if (!names.empty()) sender.tls_user = text_of(names.front());
  }
  return sender;
}

void Call::OnDone() { self_.reset(); }

::grpc::ServerUnaryReactor* Core::answer(::grpc::CallbackServerContext* context, std::string method,
                                         Access access, Call::Work work) {
  auto call = std::make_shared<Call>(context);
  call->self_ = call;
  if (in_flight_.fetch_add(1) >= options.max_in_flight) {
    in_flight_.fetch_sub(1);
    call->Finish(grpc_status(absl::ResourceExhaustedError("too many calls at once: try again in a moment")));
    return call.get();
  }
  ::grpc::ServerUnaryReactor* reactor = call.get();
  boost::asio::co_spawn(io_, run(shared_from_this(), call, std::move(method), access, std::move(work)),
                        [self = shared_from_this(), call](const std::exception_ptr& problem) {
                          self->in_flight_.fetch_sub(1);
                          if (!problem) return;
                          self->services.log.error("a gRPC call ended by an exception");
                          call->Finish(grpc_status(absl::InternalError("")));
                        });
  return reactor;
}

::grpc::ServerUnaryReactor* Core::refuse(::grpc::CallbackServerContext* context, const std::string& method,
                                         const std::string& why) {
  ::grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(grpc_status(absl::UnimplementedError(fmt::format("{} is not offered: {}", method, why))));
  return reactor;
}

Task<void> Core::run(std::shared_ptr<Core> self, std::shared_ptr<Call> call, std::string method,
                     Access access, Call::Work work) {
  Sender sender = call->sender();
  absl::Status outcome = co_await admit(self, std::move(sender), method, access);
  if (outcome.ok()) outcome = co_await work(call);
  if (outcome.code() == absl::StatusCode::kInternal || outcome.code() == absl::StatusCode::kUnknown) {
    self->services.log.error("a gRPC call failed", {{"method", method}, {"what", message(outcome)}});
  }
  call->Finish(grpc_status(outcome));
}

Task<absl::Status> Core::admit(std::shared_ptr<Core> self, Sender sender, std::string method, Access access) {
  const std::string peer = sender.peer;
  absl::StatusOr<domain::Caller> caller = co_await self->services.identify(std::move(sender));
  if (!caller.ok()) {
    if (absl::IsUnauthenticated(caller.status())) {
      domain::Caller unknown;
      unknown.address = peer;
      self->audit_denial(unknown, method);
    }
    co_return caller.status();
  }
  const bool scoped = self->options.read_scoped && access == Access::kRead;
  if (caller->name.empty() && (scoped || access == Access::kChange)) {
    self->audit_denial(*caller, method);
    co_return error(absl::StatusCode::kUnauthenticated, "unauthenticated",
                    "cannot identify caller -- access denied");
  }
  if (scoped && !caller->is_admin) {
    self->audit_denial(*caller, method);
    co_return denied("only admins see the run history while auth.read_scoped is on");
  }
  co_return absl::OkStatus();
}

Task<void> Core::append_audit(std::shared_ptr<Core> self, ports::AuditEntry entry) {
  const absl::Status written = co_await self->services.audit.append(std::move(entry));
  if (--self->audits_ == 0) self->audits_done_.cancel();
  if (!written.ok()) self->services.log.warn("can't write to the audit log", {{"what", message(written)}});
}

void Core::audit_denial(const domain::Caller& caller, const std::string& method) {
  ports::AuditEntry entry;
  entry.who = caller.name;
  entry.what = method;
  entry.where = caller.address;
  entry.outcome = "denied";
  if (audits_ >= kMostAudits) {
    services.log.warn("the audit log is flooded: a row was left out",
                      {{"what", entry.what}, {"who", entry.who}});
    return;
  }
  ++audits_;
  boost::asio::co_spawn(io_, append_audit(shared_from_this(), std::move(entry)),
                        [self = shared_from_this()](const std::exception_ptr& problem) {
                          if (problem)
                            self->services.log.error("writing to the audit log ended by an exception");
                        });
}

}  // namespace waybill::rpc
