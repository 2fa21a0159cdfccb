#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "waybill/storage/session.h"

namespace waybill::storage {

// A file of queries/ or migrations/, as it was when the program was built.
struct SqlFile {
  const char* name;  // "insert_job.postgres.sql"
  const char* text;
};
[[nodiscard]] const std::vector<SqlFile>& query_files();
[[nodiscard]] const std::vector<SqlFile>& migration_files();

// A statement ready to be prepared: `:name` became ?1 or $1, and `names` says which value stands where.
struct Statement {
  std::string sql;
  std::vector<std::string> names;
};
[[nodiscard]] Statement to_statement(std::string_view sql, Dialect dialect);

// The queries in one dialect. `{name}` in a file stands for the file `name`, a fragment (part_…). Files named
// script_… are run as they are, without parameters.
class Queries {
 public:
  explicit Queries(Dialect dialect);

  [[nodiscard]] Dialect dialect() const { return dialect_; }
  // nullptr: there is no such file.
  [[nodiscard]] const Statement* find(const std::string& name) const;
  // The text of a file, fragments put in. Empty if there is no such file.
  [[nodiscard]] std::string text(const std::string& name) const;
  // The same for any text, with values for more names.
  [[nodiscard]] std::string fill(std::string_view text,
                                 const std::unordered_map<std::string, std::string>& values) const;
  [[nodiscard]] std::vector<std::string> names() const;  // of all statements

 private:
  Dialect dialect_;
  std::unordered_map<std::string, std::string> files_;
  std::unordered_map<std::string, Statement> statements_;
};

}  // namespace waybill::storage
