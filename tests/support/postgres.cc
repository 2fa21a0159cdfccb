#include "tests/support/postgres.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <vector>

namespace waybill::testing {
namespace {

constexpr char kPrograms[] = "/usr/lib/postgresql/15/bin/";

// PostgreSQL refuses to run as root.
const passwd* other_user() {
  if (geteuid() != 0) return nullptr;
  const passwd* user = getpwnam("postgres");
  if (user == nullptr) throw std::runtime_error("there is no user \"postgres\": install postgresql-15");
  return user;
}

// Starts a program as PostgreSQL's user, its output in `log`; it goes when we go.
pid_t spawn(const std::vector<std::string>& words, const std::string& log) {
  const passwd* user = other_user();
  const pid_t parent = getpid();
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));  // NOLINT
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child > 0) return child;
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);  // NOLINT
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  if (user != nullptr && (setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0)) _exit(126);
  prctl(PR_SET_PDEATHSIG, SIGQUIT);
  if (getppid() != parent) _exit(125);
  execv(arguments[0], arguments.data());
  _exit(127);
}

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

using Connection = std::unique_ptr<PGconn, decltype(&PQfinish)>;
using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

}  // namespace

Postgres::Postgres(Durability durability) : durability_(durability) {
  if (access((std::string(kPrograms) + "postgres").c_str(), X_OK) != 0) {
    throw std::runtime_error(
        fmt::format("PostgreSQL 15 isn't in {}: install postgresql-15; these tests need it", kPrograms));
  }
  std::string pattern = "/tmp/waybill-pg-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
  make_cluster();
  start();
}

Postgres::~Postgres() {
  stop();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void Postgres::make_cluster() {
  const passwd* user = other_user();
  if (user != nullptr && chown(folder_.c_str(), user->pw_uid, user->pw_gid) != 0) {
    throw std::runtime_error("cannot give the folder to the user \"postgres\"");
  }
  const std::vector<std::string> words = {std::string(kPrograms) + "initdb",
                                          "-D",
                                          folder_ + "/data",
                                          "-U",
                                          "waybill",
                                          "-A",
                                          "trust",
                                          "-E",
                                          "UTF8",
                                          "--locale=C.UTF-8",
                                          "--locale-provider=icu",
                                          "--icu-locale=en",
                                          "--no-sync"};
  if (wait_for(spawn(words, folder_ + "/initdb.log")) != 0) {
    throw std::runtime_error("initdb failed: see " + folder_ + "/initdb.log");
  }
}

void Postgres::start() {
  std::vector<std::string> words = {std::string(kPrograms) + "postgres",
                                    "-D",
                                    folder_ + "/data",
                                    "-k",
                                    folder_,
                                    "-c",
                                    "listen_addresses=",
                                    "-c",
                                    "max_connections=200"};
  if (durability_ == Durability::kFast) {
    words.insert(words.end(), {"-c", "fsync=off", "-c", "full_page_writes=off"});
  }
  server_ = spawn(words, folder_ + "/postgres.log");
  const int process = static_cast<int>(syscall(SYS_pidfd_open, server_, 0));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!answers()) {
    int status = 0;
    const bool gone = waitpid(server_, &status, WNOHANG) == server_;
    if (gone || std::chrono::steady_clock::now() > deadline) {
      throw std::runtime_error("PostgreSQL did not start: see " + folder_ + "/postgres.log");
    }
    pollfd ended{.fd = process, .events = POLLIN, .revents = 0};
    poll(&ended, 1, 20);
  }
  close(process);
}

void Postgres::stop() {
  if (server_ <= 0) return;
  kill(server_, SIGINT);  // "fast": sessions are cut
  wait_for(server_);
  server_ = -1;
}

bool Postgres::answers() const { return PQping(connection("postgres").c_str()) == PQPING_OK; }

std::string Postgres::connection(const std::string& database) const {
  return fmt::format("host={} user=waybill dbname={}", folder_, database);
}

std::string Postgres::create_database(const std::string& name, const std::string& copy_of) {
  const std::string copy = copy_of.empty() ? "" : fmt::format(" template {} strategy file_copy", copy_of);
  run("postgres", fmt::format("create database {}{}", name, copy));
  return connection(name);
}

void Postgres::drop_database(const std::string& name) {
  run("postgres", fmt::format("drop database if exists {} with (force)", name));
}

std::string Postgres::run(const std::string& database, const std::string& sql) {
  const Connection session(PQconnectdb(connection(database).c_str()), PQfinish);
  const Result result(PQexec(session.get(), sql.c_str()), PQclear);
  const ExecStatusType status = PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
    throw std::runtime_error(PQerrorMessage(session.get()));
  }
  std::string out;
  for (int row = 0; row < PQntuples(result.get()); ++row) {
    out += std::string(PQgetvalue(result.get(), row, 0)) + '\n';
  }
  return out;
}

Postgres& shared_postgres() {
  static Postgres server;
  return server;
}

}  // namespace waybill::testing
