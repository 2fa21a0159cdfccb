#include <fmt/format.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "waybill/api/rest/http/connection.h"
#include "waybill/base/file.h"
#include "waybill/base/status.h"

namespace waybill::rest {
namespace ssl = boost::asio::ssl;

class TlsContext {
 public:
  TlsContext() : context(ssl::context::tls_server) {}
  ssl::context context;
};

namespace {

using TlsStream = ssl::stream<PlainSocket>;

constexpr std::size_t kMostPemBytes = 4U << 20U;

std::string common_name(SSL* connection) {
  X509* certificate = SSL_get1_peer_certificate(connection);
  if (certificate == nullptr) return {};
  std::string name;
  X509_NAME* subject = X509_get_subject_name(certificate);
  const int index = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (index >= 0) {
    unsigned char* text = nullptr;
    const int size =
        ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index)));
    if (size > 0) name.assign(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
    OPENSSL_free(text);
  }
  X509_free(certificate);
  return name;
}

using Pem = boost::asio::const_buffer;
using Problem = boost::system::error_code;

// Reads the file itself: OpenSSL would wait for a pipe.
absl::Status use_pem(std::string_view setting, const std::string& path,
                     const std::function<void(const Pem&, Problem&)>& use) {
  WB_ASSIGN(const std::string text, read_file_of(setting, path, kMostPemBytes));
  Problem problem;
  use(boost::asio::buffer(text), problem);
  if (!problem) return absl::OkStatus();
  return invalid(fmt::format("{}: {}: {}", setting, path, problem.message()));
}

}  // namespace

absl::StatusOr<std::shared_ptr<TlsContext>> make_tls(const HttpOptions& options) {
  auto tls = std::make_shared<TlsContext>();
  ssl::context& context = tls->context;
  SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  WB_TRY(use_pem("server.tls.cert", options.tls_cert,
                 [&](const Pem& pem, Problem& problem) { context.use_certificate_chain(pem, problem); }));
  WB_TRY(use_pem("server.tls.key", options.tls_key, [&](const Pem& pem, Problem& problem) {
    context.use_private_key(pem, ssl::context::pem, problem);
  }));
  if (options.tls_client_ca.empty()) return tls;
  WB_TRY(use_pem("server.tls.client_ca", options.tls_client_ca,
                 [&](const Pem& pem, Problem& problem) { context.add_certificate_authority(pem, problem); }));
  context.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
  return tls;
}

Task<void> serve_tls(std::shared_ptr<ServerCore> core, std::shared_ptr<TlsContext> tls, PlainSocket socket,
                     Peer peer) {
  auto connection = std::make_shared<Connection<TlsStream>>(core, TlsStream(std::move(socket), tls->context),
                                                            std::move(peer));
  connection->deadline = core->after(core->options.read_header_timeout);
  auto [error] = co_await connection->stream().async_handshake(ssl::stream_base::server,
                                                               Connection<TlsStream>::kAsTuple);
  if (error) co_return;
  connection->peer().tls_user = common_name(connection->stream().native_handle());
  co_await Connection<TlsStream>::serve(std::move(connection));
}

}  // namespace waybill::rest
