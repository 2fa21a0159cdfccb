#pragma once

#include <sys/types.h>

#include <string>

namespace waybill::testing {

// A PostgreSQL of its own in a temporary folder, reached by a Unix socket in it; stopped and removed when
// destroyed. It sorts as English does, so that a column without byte order would show. Throws with the reason
// where it can't be started; a missing PostgreSQL is a failure, never a skip.
class Postgres {
 public:
  enum class Durability { kFast, kFsync };
  explicit Postgres(Durability durability = Durability::kFast);
  ~Postgres();
  Postgres(const Postgres&) = delete;
  Postgres& operator=(const Postgres&) = delete;

  // Of a database on it, for libpq.
  [[nodiscard]] std::string connection(const std::string& database) const;
  // Makes an empty database, or a copy of another that nobody uses.
  std::string create_database(const std::string& name, const std::string& copy_of = "");
  void drop_database(const std::string& name);
  // Runs statements; throws with the server's message. The first column of the last result's rows.
  std::string run(const std::string& database, const std::string& sql);

  void stop();   // as an administrator does: sessions are cut
  void start();  // the same data again

 private:
  void make_cluster();
  [[nodiscard]] bool answers() const;

  Durability durability_;
  std::string folder_;
  pid_t server_ = -1;
};

// The one of this test program, started when it is first asked for.
[[nodiscard]] Postgres& shared_postgres();

}  // namespace waybill::testing
