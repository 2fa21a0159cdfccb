#include "waybill/app/template_commands.h"

#include <fmt/format.h>

#include <fstream>
#include <ostream>
#include <string>

#include "waybill/base/file.h"
#include "waybill/base/status.h"
#include "waybill/cli/cli.h"
#include "waybill/template/template.h"
#include "waybill/template/vector_data.h"
#include "waybill/template/vector_runner.h"

namespace waybill::app {
namespace {

constexpr std::size_t kLongestFile = 16U << 20U;

absl::StatusOr<std::string> read_file(const std::string& path) {
  absl::StatusOr<std::string> text = read_regular_file(path, kLongestFile);
  if (!text.ok()) return prefixed(text.status(), fmt::format("the file {} can't be read", path));
  return text;
}

// A word with an action in it is the template itself, any other the name of its file.
absl::StatusOr<std::string> template_text(const std::string& word) {
  if (word.find("{{") != std::string::npos) return word;
  return read_file(word);
}

absl::StatusOr<std::string> rendered(const std::string& text, const std::string& data_file) {
  std::string data_text = "{}";
  if (!data_file.empty()) {
    WB_ASSIGN(data_text, read_file(data_file));
  }
  WB_ASSIGN(const gotemplate::Data data, gotemplate::data_from_json(data_text));
  gotemplate::ParseError mistake;
  const auto parsed = gotemplate::Template::parse("attr", text, &mistake);
  if (!parsed.ok()) {
    return invalid(fmt::format("{}:{}: {}", mistake.at.line, mistake.at.column, message(parsed.status())));
  }
  return parsed->execute(data);
}

int render(const cli::Invocation& typed, cli::Environment& environment) {
  if (typed.has("vectors")) {
    const std::string path = typed.text("vectors");
    if (const absl::Status regular = check_regular_file(path); !regular.ok()) {
      cli::print_error(environment, fmt::format("the file {} can't be read: {}", path, message(regular)));
      return cli::kError;
    }
    std::ifstream vectors(path);
    return gotemplate::run_vectors(vectors, environment.out);
  }
  if (!typed.has("TEMPLATE")) {
    cli::print_error(environment, "there is nothing to render", "give a template, or --vectors FILE");
    return cli::kUsage;
  }
  const auto source = template_text(typed.text("TEMPLATE"));
  const auto text = source.ok() ? rendered(*source, typed.text("data")) : source;
  if (!text.ok()) {
    cli::print_error(environment, message(text.status()));
    return cli::kError;
  }
  environment.out << *text;
  if (environment.out_is_terminal && !text->ends_with('\n')) environment.out << '\n';
  return cli::kOk;
}

}  // namespace

std::vector<cli::Command> template_commands() {
  return {
      {.path = {"template", "render"},
       .summary = "render an attribute template over data of your own",
       .description =
           "The data is JSON: {\"Job\": {…}, \"Command\": {…}, \"Cluster\": {…}, \"Outputs\": {…}}; what is "
           "left out is empty.",
       .arguments = {{.name = "TEMPLATE",
                      .help = "a file with a template, or its text if there is a {{ in it",
                      .required = false}},
       .flags = {{.name = "data",
                  .value = "FILE",
                  .help = "JSON with the namespaces that the template reads",
                  .type = cli::ValueType::kFile},
                 {.name = "vectors",
                  .value = "FILE",
                  .help = "run a file of test vectors instead",
                  .type = cli::ValueType::kFile}},
       .examples = {{"waybill template render '{{ .Job.Name | upper }}' --data job.json",
                     "prints the name in capitals"},
                    {"waybill template render --vectors range.jsonl",
                     "checks the language against recorded answers"}},
       .run = render},
  };
}

}  // namespace waybill::app
