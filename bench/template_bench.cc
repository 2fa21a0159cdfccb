#include <benchmark/benchmark.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include "waybill/template/template.h"
#include "waybill/template/vector_data.h"

// Parses and executes the attributes of tests/testdata/gotemplate/bench.json; run from the project's root.
// Beside it: go test -bench . in bench/template_go, with the same names. Only their ratio, taken in the same
// minute, means much.
namespace {

using waybill::gotemplate::Data;
using waybill::gotemplate::Template;

struct Attribute {
  std::string name;
  std::string source;
  std::string want;
  Data data;
};

std::vector<Attribute> attributes() {
  std::ifstream file("tests/testdata/gotemplate/bench.json");
  std::ostringstream text;
  text << file.rdbuf();
  std::vector<Attribute> found;
  const auto json = waybill::gotemplate::parse_vector_json(text.str());
  if (!json.ok()) return found;
  for (const auto& row : json->at("rows").as_array()) {
    const auto word = [&row](const char* name) { return std::string(row.at(name).as_string().c_str()); };
    auto data = waybill::gotemplate::data_from_value(row.at("data"));
    if (data.ok()) found.push_back({word("name"), word("template"), word("want"), *std::move(data)});
  }
  return found;
}

void execute(benchmark::State& state, const Attribute& attribute) {
  const auto parsed = Template::parse(attribute.name, attribute.source);
  if (!parsed.ok() || *parsed->execute(attribute.data) != attribute.want) {
    return state.SkipWithError("the attribute does not render as it should");
  }
  for (auto _ : state) benchmark::DoNotOptimize(parsed->execute(attribute.data));
}

void parse(benchmark::State& state, const Attribute& attribute) {
  for (auto _ : state) benchmark::DoNotOptimize(Template::parse(attribute.name, attribute.source));
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const auto all = attributes();
  if (all.empty()) {
    std::cerr
        << "error: tests/testdata/gotemplate/bench.json can't be read; run this from the project's root\n";
    return 1;
  }
  for (const Attribute& attribute : all) {
    benchmark::RegisterBenchmark(("execute/" + attribute.name).c_str(), execute, attribute);
    benchmark::RegisterBenchmark(("parse/" + attribute.name).c_str(), parse, attribute);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
