#include "waybill/template/vector_runner.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <boost/json/value.hpp>
#include <istream>
#include <ostream>

#include "waybill/base/status.h"
#include "waybill/template/quoting.h"
#include "waybill/template/template.h"

namespace waybill::gotemplate {
namespace {

namespace json = boost::json;

// Vectors may loop and print more than attributes may.
constexpr Limits kLimits = {.steps = 10'000'000, .depth = 300, .output_bytes = 4'000'000};

struct Vector {
  std::string source;
  Data data;
  std::string load;  // "", "must" or "may"
  bool loose = false;
  std::string want;
  bool fails = false;
  std::string phase;
  std::string message;
  std::int64_t line = 0;
  std::int64_t column = -1;  // bytes from 0; -1: not known
};

std::string word(const json::object& object, const char* name) {
  const auto* member = object.if_contains(name);
  return member != nullptr && member->is_string() ? std::string(member->get_string().c_str()) : std::string();
}

std::int64_t number(const json::object& object, const char* name, std::int64_t otherwise) {
  const auto* member = object.if_contains(name);
  return member != nullptr && member->is_int64() ? member->get_int64() : otherwise;
}

absl::Status read_answer(const json::object& object, Vector& vector) {
  if (const auto* want = object.if_contains("want")) {
    WB_ASSIGN(vector.want, text_of(*want));
    return absl::OkStatus();
  }
  const auto* failure = object.if_contains("error");
  if (failure == nullptr || !failure->is_object()) return invalid("a vector needs want or error");
  const json::object& details = failure->get_object();
  const auto* message = details.if_contains("message");
  if (message == nullptr) return invalid("error needs a message");
  vector.fails = true;
  vector.phase = word(details, "phase");
  vector.line = number(details, "line", 0);
  vector.column = number(details, "col", -1);
  WB_ASSIGN(vector.message, text_of(*message));
  return absl::OkStatus();
}

absl::StatusOr<Vector> read_vector(std::string_view line) {
  WB_ASSIGN(const json::value value, parse_vector_json(line));
  if (!value.is_object()) return invalid("a vector must be an object");
  const json::object& object = value.get_object();
  const auto* source = object.if_contains("template");
  const auto* data = object.if_contains("data");
  if (source == nullptr || data == nullptr) return invalid("a vector needs template and data");
  Vector vector;
  WB_ASSIGN(vector.source, text_of(*source));
  WB_ASSIGN(vector.data, data_from_value(*data));
  vector.load = word(object, "load");
  const auto* loose = object.if_contains("loose");
  vector.loose = loose != nullptr && loose->is_bool() && loose->get_bool();
  WB_TRY(read_answer(object, vector));
  return vector;
}

// Up to Go's internals if the vector says that they end the message.
std::string_view comparable(std::string_view message, bool loose) {
  return loose ? message.substr(0, message.find("reflect: ")) : message;
}

VectorOutcome compare_messages(const Vector& vector, std::string_view ours) {
  const bool equal = comparable(ours, vector.loose) == comparable(vector.message, vector.loose);
  return {{}, true, equal, std::string(ours)};
}

VectorOutcome failed(std::string what) { return {std::move(what), false, false, {}}; }

VectorOutcome judge_refusal(const Vector& vector, const ParseError& mistake) {
  if (!vector.load.empty()) return {};
  if (!vector.fails) return failed(fmt::format("refused: {}", mistake.message));
  if (vector.phase != "parse")
    return failed(fmt::format("refused at load: {}; want {}", mistake.message, vector.message));
  if (mistake.at.line != vector.line) {
    return failed(
        fmt::format("refused at line {}: {}; want {}", mistake.at.line, mistake.message, vector.message));
  }
  return compare_messages(vector, mistake.message);
}

VectorOutcome judge_failure(const Vector& vector, std::string_view ours) {
  if (!vector.fails) return failed(fmt::format("failed: {}; want {}", ours, quoted(vector.want)));
  static const RE2 place("^template: attr:(\\d+):(\\d+): ");
  std::int64_t line = 0;
  std::int64_t column = 0;
  const bool placed = RE2::PartialMatch(re2::StringPiece(ours.data(), ours.size()), place, &line, &column);
  if (vector.phase != "exec" || !placed || line != vector.line || column != vector.column) {
    return failed(fmt::format("failed: {}; want {}", ours, vector.message));
  }
  return compare_messages(vector, ours);
}

VectorOutcome judge(const Vector& vector) {
  ParseError mistake;
  const auto parsed = Template::parse("attr", vector.source, &mistake);
  if (!parsed.ok()) return judge_refusal(vector, mistake);
  if (vector.load == "must") return failed("accepted; must be refused at load");
  const auto rendered = parsed->execute(vector.data, kLimits);
  if (!rendered.ok()) return judge_failure(vector, message(rendered.status()));
  if (vector.fails) return failed(fmt::format("printed {}; want {}", quoted(*rendered), vector.message));
  if (*rendered != vector.want) {
    return failed(fmt::format("printed {}; want {}", quoted(*rendered), quoted(vector.want)));
  }
  return {};
}

// The name of a vector for the lines about it.
std::string name_of(std::string_view line) {
  const auto value = parse_vector_json(line);
  return value.ok() && value->is_object() ? word(value->get_object(), "name") : std::string();
}

}  // namespace

VectorOutcome run_vector(std::string_view line) {
  const auto vector = read_vector(line);
  if (!vector.ok()) return failed(message(vector.status()));
  return judge(*vector);
}

bool is_refused_at_load(const VectorOutcome& outcome) {
  const std::string& failure = outcome.failure;
  if (!failure.starts_with("refused")) return false;
  for (const std::string_view reason : {" is no namespace; ", " has no field ", " is a complex number, "}) {
    if (failure.find(reason) != std::string::npos) return true;
  }
  // Go fails too, but at something before it.
  static const RE2 later("^refused at load: [^;]*: (undefined variable: |template .* not defined)");
  return RE2::PartialMatch(failure, later);
}

int run_vectors(std::istream& vectors, std::ostream& out) {
  int passed = 0;
  int failures = 0;
  int messages = 0;
  int equal = 0;
  std::string line;
  for (int at = 1; std::getline(vectors, line); ++at) {
    if (line.empty()) continue;
    const VectorOutcome outcome = run_vector(line);
    messages += outcome.has_message ? 1 : 0;
    equal += outcome.message_is_equal ? 1 : 0;
    ++(outcome.failure.empty() ? passed : failures);
    if (!outcome.failure.empty()) out << fmt::format("line {} {}: {}\n", at, name_of(line), outcome.failure);
  }
  out << fmt::format("messages equal: {} of {}\n{} passed, {} failed\n", equal, messages, passed, failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace waybill::gotemplate
