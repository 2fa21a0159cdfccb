#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "waybill/api/rest/http/http_server.h"

namespace waybill::rest {
namespace {

using ::testing::HasSubstr;

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* thing) const {
    Free(thing);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Context = std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>>;
using Session = std::unique_ptr<SSL, Freed<SSL_free>>;

// A certificate that signs itself, and its key, as two PEM files.
class Identity {
 public:
  Identity(const std::string& folder, const std::string& name)
      : cert_file(folder + "/" + name + ".pem"),
        key_file(folder + "/" + name + ".key"),
        key_(EVP_EC_gen("P-256")) {
    const Certificate certificate(X509_new());
    X509_set_version(certificate.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), key_.get());
    X509_NAME* subject = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(name.data()),
                               static_cast<int>(name.size()), -1, 0);
    X509_set_issuer_name(certificate.get(), subject);
    X509_sign(certificate.get(), key_.get(), EVP_sha256());
    std::FILE* file = std::fopen(cert_file.c_str(), "w");
    PEM_write_X509(file, certificate.get());
    std::fclose(file);
    file = std::fopen(key_file.c_str(), "w");
    PEM_write_PrivateKey(file, key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
  }
  std::string cert_file, key_file;

 private:
  Key key_;
};

class TlsTest : public ::testing::Test {
 protected:
  template <class Function>
  auto run(Function function) {
    return boost::asio::co_spawn(io_, std::move(function), boost::asio::use_future).get();
  }
  TlsTest() {
    char name[] = "/tmp/waybill-tls-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~TlsTest() override {
    if (server_) {
      run([&]() -> Task<int> {
        co_await server_->stop();
        co_return 0;
      });
    }
    guard_.reset();
    thread_.join();
    server_.reset();
    std::filesystem::remove_all(folder_);
  }
  absl::Status start(HttpOptions options) {
    return run([&, options]() -> Task<absl::Status> {
      server_ = std::make_unique<HttpServer>(
          io_.get_executor(), options,
          [](std::shared_ptr<Request> request) -> Task<Reply> {
            Reply reply;
            reply.body = "hello [" + request->tls_user + "] " + std::string(100'000, 'x') + " end";
            co_return reply;
          },
          log_);
      co_return server_->start();
    });
  }
  // What the server answers, or "" where the handshake fails.
  std::string get(const Identity* client) {
    const Context context(SSL_CTX_new(TLS_client_method()));
    if (client != nullptr) {
      SSL_CTX_use_certificate_file(context.get(), client->cert_file.c_str(), SSL_FILETYPE_PEM);
      SSL_CTX_use_PrivateKey_file(context.get(), client->key_file.c_str(), SSL_FILETYPE_PEM);
    }
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server_->port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const Session session(SSL_new(context.get()));
    SSL_set_fd(session.get(), fd);
    std::string answer;
    const std::string request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    if (SSL_connect(session.get()) == 1 &&
        SSL_write(session.get(), request.data(), static_cast<int>(request.size())) > 0) {
      char bytes[4096];
      for (int size = 0; (size = SSL_read(session.get(), bytes, sizeof bytes)) > 0;) {
        answer.append(bytes, static_cast<std::size_t>(size));
      }
    }
    ::close(fd);
    return answer;
  }

  std::string folder_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_{io_.get_executor()};
  std::thread thread_{[this] { io_.run(); }};
  Log log_{LogLevel::kError};
  std::unique_ptr<HttpServer> server_;
};

TEST_F(TlsTest, AnswersOverTls) {
  const Identity server(folder_, "server");
  HttpOptions options;
  options.tls_cert = server.cert_file;
  options.tls_key = server.key_file;
  ASSERT_TRUE(start(options).ok());
  const std::string answer = get(nullptr);
  EXPECT_THAT(answer, HasSubstr("HTTP/1.1 200 OK"));
  EXPECT_THAT(answer, HasSubstr("hello []"));
  EXPECT_TRUE(answer.ends_with(" end"));
}

TEST_F(TlsTest, TellsWhoTheClientsCertificateNames) {
  const Identity server(folder_, "server");
  const Identity alice(folder_, "alice");
  const Identity mallory(folder_, "mallory");
  HttpOptions options;
  options.tls_cert = server.cert_file;
  options.tls_key = server.key_file;
  options.tls_client_ca = alice.cert_file;
  ASSERT_TRUE(start(options).ok());
  EXPECT_THAT(get(&alice), HasSubstr("hello [alice]"));
  EXPECT_EQ(get(&mallory), "");
  EXPECT_EQ(get(nullptr), "");
  EXPECT_THAT(get(&alice), HasSubstr("hello [alice]"));
}

TEST_F(TlsTest, WrongFilesAreErrorsThatNameTheSetting) {
  const Identity server(folder_, "server");
  HttpOptions options;
  options.tls_cert = folder_ + "/none.pem";
  options.tls_key = server.key_file;
  EXPECT_THAT(std::string(start(options).message()), HasSubstr("server.tls.cert"));
  options.tls_cert = server.cert_file;
  options.tls_key = server.cert_file;
  EXPECT_THAT(std::string(start(options).message()), HasSubstr("server.tls.key"));
  options.tls_key = server.key_file;
  options.tls_client_ca = folder_ + "/pipe";
  ASSERT_EQ(::mkfifo(options.tls_client_ca.c_str(), 0600), 0);
  EXPECT_THAT(std::string(start(options).message()),
              HasSubstr("server.tls.client_ca: " + options.tls_client_ca + ": it is a pipe"));
  options.tls_client_ca = server.key_file;
  EXPECT_THAT(std::string(start(options).message()), HasSubstr("server.tls.client_ca"));
}

}  // namespace
}  // namespace waybill::rest
