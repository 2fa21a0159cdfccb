#include "waybill/api/grpc/grpc_server.h"

#include <fmt/format.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <utility>

#include "waybill/api/grpc/call.h"
#include "waybill/api/grpc/core_service.h"
#include "waybill/api/grpc/job_service.h"
#include "waybill/base/file.h"
#include "waybill/base/status.h"

namespace waybill::rpc {
namespace {

constexpr std::size_t kMostPemBytes = 4U << 20U;

absl::StatusOr<std::shared_ptr<::grpc::ServerCredentials>> credentials(const GrpcOptions& options) {
  if (options.tls_cert.empty()) return ::grpc::InsecureServerCredentials();
  ::grpc::SslServerCredentialsOptions tls;
  if (!options.tls_client_ca.empty()) {
    tls.client_certificate_request = GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY;
    WB_ASSIGN(tls.pem_root_certs, read_file_of("server.tls.client_ca", options.tls_client_ca, kMostPemBytes));
  }
  ::grpc::SslServerCredentialsOptions::PemKeyCertPair pair;
  WB_ASSIGN(pair.private_key, read_file_of("server.tls.key", options.tls_key, kMostPemBytes));
  WB_ASSIGN(pair.cert_chain, read_file_of("server.tls.cert", options.tls_cert, kMostPemBytes));
  tls.pem_key_cert_pairs.push_back(std::move(pair));
  return ::grpc::SslServerCredentials(tls);
}

}  // namespace

// The server and what it serves; the services must outlive it.
struct Core::Listening {
  explicit Listening(Core& core) : jobs(core) {}
  JobService jobs;
  CoreService registry;
  std::unique_ptr<::grpc::Server> server;
};

Core::Core(boost::asio::any_io_executor io, GrpcServices the_services, GrpcOptions the_options)
    : services(std::move(the_services)),
      options(std::move(the_options)),
      io_(std::move(io)),
      audits_done_(io_, boost::asio::steady_timer::time_point::max()) {}
Core::~Core() = default;

absl::Status Core::start() {
  WB_ASSIGN(const std::shared_ptr<::grpc::ServerCredentials> tls, credentials(options));
  ::grpc::EnableDefaultHealthCheckService(true);
  ::grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  auto listening = std::make_unique<Listening>(*this);
  ::grpc::ServerBuilder builder;
  const std::string address = options.address.starts_with(':') ? "[::]" + options.address : options.address;
  builder.AddListeningPort(address, tls, &port_);
  // Two servers on one port would share its calls without anybody noticing.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.SetMaxReceiveMessageSize(static_cast<int>(options.max_request_bytes));
  // Health and reflection are synchronous; two threads are plenty for them.
  builder.SetSyncServerOption(::grpc::ServerBuilder::SyncServerOption::NUM_CQS, 1);
  builder.SetSyncServerOption(::grpc::ServerBuilder::SyncServerOption::MIN_POLLERS, 1);
  builder.SetSyncServerOption(::grpc::ServerBuilder::SyncServerOption::MAX_POLLERS, 2);
  builder.RegisterService(&listening->jobs);
  builder.RegisterService(&listening->registry);
  listening->server = builder.BuildAndStart();
  const bool is_unix = options.address.starts_with("unix:");
  if (listening->server == nullptr || (port_ == 0 && !is_unix)) {
    return unavailable(fmt::format(
        "server.grpc_addr: can't listen on {}: another program may have it, or it is no address of this "
        "machine",
        options.address));
  }
  if (is_unix) port_ = 0;
  listening->server->GetHealthCheckService()->SetServingStatus(
      feast_spark::api::JobService::service_full_name(), true);
  listening_ = std::move(listening);
  return absl::OkStatus();
}

// Shutdown blocks until the last call has ended, and calls end on the io thread: so it waits elsewhere.
Task<void> Core::stop(std::shared_ptr<Core> self) {
  if (self->listening_ == nullptr) co_return;
  ::grpc::Server* server = self->listening_->server.get();
  server->GetHealthCheckService()->SetServingStatus(false);
  const auto deadline = std::chrono::system_clock::now() + absl::ToChronoMilliseconds(self->options.drain);
  const bool down = co_await on(self->services.pool, [server, deadline] {
    server->Shutdown(deadline);
    server->Wait();
    return true;
  });
  static_cast<void>(down);
  self->listening_.reset();
  while (self->audits_ > 0) {
    auto [ignored] =
        co_await self->audits_done_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    static_cast<void>(ignored);
  }
}

GrpcServer::GrpcServer(boost::asio::any_io_executor io, GrpcServices services, GrpcOptions options)
    : core_(std::make_shared<Core>(std::move(io), std::move(services), std::move(options))) {}
GrpcServer::~GrpcServer() = default;

absl::Status GrpcServer::start() { return core_->start(); }
std::uint16_t GrpcServer::port() const { return static_cast<std::uint16_t>(core_->port()); }
void GrpcServer::reload(bool read_scoped) { core_->options.read_scoped = read_scoped; }

Task<void> GrpcServer::stop() { co_await Core::stop(core_); }

}  // namespace waybill::rpc
