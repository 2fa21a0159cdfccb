#pragma once

#include <absl/status/statusor.h>

#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "waybill/domain/attribute.h"

// Go's text/template with some of Sprig's functions, as docs/attributes.md describes. Pure: no clock, no I/O.
namespace waybill::gotemplate {

// `.Job`: the fields that Heimdall's templates know. Numbers of the three objects count as float64.
struct JobView {
  std::int64_t system_id = 0;
  std::string id, name, version, description, user;
  std::vector<std::string> tags;
  boost::json::object context;
  std::int64_t created_at = 0, updated_at = 0;  // unix seconds
  std::string status;
  bool is_sync = false, store_result_sync = false;
  std::string error;
  std::vector<std::string> command_criteria, cluster_criteria;
  std::string command_id, command_name, cluster_id, cluster_name, canceled_by;
  boost::json::object job_attributes;
  boost::json::object result;
  // An empty list or object is Go's nil, unless its field's bit is set (counted in Go's order from
  // system_id): then it is one that is there and empty, which toJson and %#v tell apart.
  std::uint32_t present_though_empty = 0;
};

// What a template is executed over: `.Job .Command .Cluster .Outputs`. Contexts come masked. int64, uint64
// and double are kept apart: they are Go's int, uint64 and float64.
struct Data {
  JobView job;
  boost::json::object command;
  boost::json::object cluster;
  domain::Outputs outputs;
};

struct Limits {
  std::size_t steps = 100'000;  // nodes evaluated
  std::size_t depth = 200;      // of {{template}} calls and nested parentheses
  std::size_t output_bytes = 8192;
};

// Where in the template's text, both from 1; column counts bytes.
struct Position {
  int line = 1;
  int column = 1;
};

// A mistake found by parse(): `message` is Go's own text wherever Go finds it, `at` is where we found it.
struct ParseError {
  std::string message;
  Position at;
};

// Parsed once, immutable, shared by threads.
class Template {
 public:
  // Also refuses what the text alone shows to be wrong: an unknown namespace, `.Job` field or function, an
  // undeclared variable, a complex literal. On error the status's message is that of `mistake`.
  static absl::StatusOr<Template> parse(std::string_view name, std::string_view text,
                                        ParseError* mistake = nullptr);

  Template(Template&&) noexcept;
  Template& operator=(Template&&) noexcept;
  ~Template();

  // The rendered text, or InvalidArgument with Go's message; ResourceExhausted past a limit.
  [[nodiscard]] absl::StatusOr<std::string> execute(const Data& data, const Limits& limits = {}) const;

  // Keys of .Cluster, .Command (first level) that it names directly, for warnings: "Cluster" and "x" of
  // .Cluster.x.
  struct Reference {
    std::string space;
    std::string key;
    Position at;
  };
  [[nodiscard]] std::vector<Reference> references() const;

  // The literal text before the first action ("https://host/" of "https://host/{{.Job.ID}}").
  [[nodiscard]] std::string_view leading_text() const;

 private:
  struct Parsed;
  explicit Template(std::unique_ptr<const Parsed> parsed);
  std::unique_ptr<const Parsed> parsed_;
};

}  // namespace waybill::gotemplate
