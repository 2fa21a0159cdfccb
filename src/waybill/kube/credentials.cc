#include "waybill/kube/credentials.h"

#include <absl/strings/escaping.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <exception>
#include <utility>

#include "waybill/base/pool.h"
#include "waybill/base/secret.h"
#include "waybill/base/status.h"
#include "waybill/base/unique_fd.h"
#include "waybill/kube/exec_plugin.h"
#include "waybill/ports/wakeup.h"

namespace waybill::kube {
namespace {

constexpr absl::Duration kEarliest = absl::Seconds(30);  // a credential is renewed so long before its end,
constexpr int kEarlyPart = 10;                           // at most this part of its life
constexpr absl::Duration kTryAgain = absl::Seconds(10);  // after a file could not be read

struct Fresh {
  Proof proof;
  absl::Time until = absl::InfiniteFuture();
};

absl::StatusOr<std::string> data_or_file(const std::string& data, const std::string& file) {
  if (!data.empty() || file.empty()) return data;
  return read_secret_file(file);
}

// A header must hold nothing that would end it.
absl::StatusOr<std::string> header_of(std::string_view scheme, std::string_view value,
                                      const std::string& source) {
  const std::size_t end = value.find_last_not_of(" \t\r\n");
  value = value.substr(0, end == std::string_view::npos ? 0 : end + 1);
  const bool clean = std::all_of(value.begin(), value.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (value.empty() || !clean)
    return conflict(source + ": the token is empty or has characters that no token has");
  return std::string(scheme) + std::string(value);
}

absl::StatusOr<Fresh> renew(const Access& access, const Credentials::Options& options, absl::Time now,
                            int stopped) {
  Fresh fresh;
  WB_ASSIGN(fresh.proof.ca, data_or_file(access.ca_data, access.ca_file));
  WB_ASSIGN(fresh.proof.certificate,
            data_or_file(access.client_certificate_data, access.client_certificate_file));
  WB_ASSIGN(fresh.proof.key, data_or_file(access.client_key_data, access.client_key_file));
  const bool has_files = !access.token_file.empty() || !access.ca_file.empty() ||
                         !access.client_certificate_file.empty() || !access.client_key_file.empty();
  if (has_files) fresh.until = now + options.read_files_every;

  std::string token = access.token;
  if (!access.token_file.empty()) {
    WB_ASSIGN(token, read_secret_file(access.token_file));
  } else if (token.empty() && access.exec && fresh.proof.certificate.empty()) {
    WB_ASSIGN(ExecCredential credential,
              run_exec_plugin(*access.exec, access, options.exec_timeout, stopped));
    token = credential.token;
    fresh.proof.certificate = credential.certificate;
    fresh.proof.key = credential.key;
    if (credential.expires) {
      const absl::Duration early = std::min(kEarliest, (*credential.expires - now) / kEarlyPart);
      fresh.until = std::min(fresh.until, *credential.expires - early);
    }
  }
  const std::string source = access.source.empty() ? "the access" : access.source;
  if (!token.empty() || !access.token_file.empty()) {
    WB_ASSIGN(fresh.proof.authorization, header_of("Bearer ", token, source));
  } else if (!access.username.empty()) {
    const std::string pair = access.username + ":" + access.password;
    fresh.proof.authorization = "Basic " + absl::Base64Escape(absl::string_view(pair.data(), pair.size()));
  }
  return fresh;
}

}  // namespace

struct Credentials::State : std::enable_shared_from_this<Credentials::State> {
  using Answer = absl::StatusOr<std::shared_ptr<const Proof>>;
  using Flight = ports::Once<Answer>;

  State(boost::asio::any_io_executor on, ports::Clock& time, Access what, Options how)
      : io(std::move(on)),
        clock(time),
        access(std::move(what)),
        options(how),
        stopped(::eventfd(0, EFD_CLOEXEC)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[nodiscard]] bool is_fresh() const { return current != nullptr && clock.now() < until; }

  static Task<void> refresh(std::shared_ptr<State> self, std::shared_ptr<Flight> into) {
    const absl::Time now = self->clock.now();
    absl::StatusOr<Fresh> fresh = co_await on(
        self->pool, [access = self->access, options = self->options, now, stopped = self->stopped.get()] {
          return renew(access, options, now, stopped);
        });
    self->flight = nullptr;
    into->set(self->take(std::move(fresh), now));
  }

  Answer take(absl::StatusOr<Fresh> fresh, absl::Time now) {
    if (fresh.ok()) {
      // The same content stays the same proof: connections are found again by it.
      if (current == nullptr || !(*current == fresh->proof))
        current = std::make_shared<const Proof>(std::move(fresh->proof));
      until = fresh->until;
      must_renew = false;
      return current;
    }
    if (current == nullptr || must_renew || access.exec) return fresh.status();
    until = now + kTryAgain;
    return current;
  }

  boost::asio::any_io_executor io;
  ports::Clock& clock;
  const Access access;
  const Options options;
  const UniqueFd stopped;  // an eventfd: readable once the plugins must end
  Pool pool{1};
  std::shared_ptr<const Proof> current;
  absl::Time until = absl::InfinitePast();
  bool must_renew = false;
  std::shared_ptr<Flight> flight;  // the refresh under way
};

Credentials::Credentials(boost::asio::any_io_executor io, ports::Clock& clock, Access access, Options options)
    : state_(std::make_shared<State>(std::move(io), clock, std::move(access), options)) {}

Credentials::~Credentials() { stop(); }

void Credentials::stop() {
  ::eventfd_write(state_->stopped.get(), 1);
  state_->pool.join();
}

Task<absl::StatusOr<std::shared_ptr<const Proof>>> Credentials::proof() {
  const std::shared_ptr<State> state = state_;
  if (state->is_fresh()) co_return state->current;
  if (state->flight == nullptr) {
    state->flight = std::make_shared<State::Flight>(state->io);
    auto log_nothing = [](std::exception_ptr problem) {
      if (problem) std::rethrow_exception(problem);
    };
    boost::asio::co_spawn(state->io, State::refresh(state, state->flight), log_nothing);
  }
  co_return co_await State::Flight::get(state->flight);
}

void Credentials::refused(const std::shared_ptr<const Proof>& proof) {
  if (proof != state_->current || state_->flight != nullptr) return;
  state_->until = absl::InfinitePast();
  state_->must_renew = true;
}

}  // namespace waybill::kube
