#include "waybill/template/template.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <thread>
#include <vector>

#include "waybill/base/status.h"

namespace waybill::gotemplate {
namespace {

Data example() {
  Data data;
  data.job.id = "job-1";
  data.job.tags = {"team:a", "env:prod"};
  data.job.context = boost::json::parse(R"({"n": 3, "deep": {"list": [1, 2]}})").get_object();
  data.job.created_at = 1700000000;
  data.cluster = boost::json::parse(R"({"url": "https://h", "port": 443, "none": null})").get_object();
  data.outputs = {{"app", "spark-1"}};
  return data;
}

std::string render(std::string_view text, const Limits& limits = {}) {
  const auto parsed = Template::parse("attr", text);
  if (!parsed.ok()) return "refused: " + message(parsed.status());
  const auto rendered = parsed->execute(example(), limits);
  return rendered.ok() ? *rendered : message(rendered.status());
}

absl::StatusCode code(std::string_view text, const Limits& limits = {}) {
  return Template::parse("attr", text)->execute(example(), limits).status().code();
}

TEST(Template, RendersAnAttribute) {
  EXPECT_EQ(render("{{.Cluster.url}}:{{.Cluster.port}}/{{.Outputs.app}}/{{.Job.ID}}"),
            "https://h:443/spark-1/job-1");
}

TEST(Template, NumbersOfTheJobsObjectsAreFloats) {
  EXPECT_EQ(render("{{printf `%T %T` .Job.Context.n .Cluster.port}}"), "float64 int");
  EXPECT_EQ(render("{{printf `%T` (index .Job.Context.deep.list 0)}}"), "float64");
}

TEST(Template, AMissingKeyIsAnErrorAndIndexIsNone) {
  EXPECT_EQ(render("{{.Outputs.nope}}"),
            "template: attr:1:10: executing \"attr\" at <.Outputs.nope>: map has no entry for key \"nope\"");
  EXPECT_EQ(render("{{index .Outputs `nope`}}"), "<no value>");
  EXPECT_EQ(render("{{get .Outputs `nope`}}|{{hasKey .Outputs `nope`}}|{{dig `a` `b` `none` .Cluster}}"),
            "|false|none");
}

TEST(Template, RefusesAtLoadWhatTheTextAlreadyShows) {
  const struct {
    std::string_view text;
    Position at;
    std::string_view message;
  } cases[] = {
      {"a{{.Jobs.ID}}",
       {1, 4},
       "template: attr:1: .Jobs is no namespace; there are .Job, .Command, .Cluster and .Outputs"},
      {"\n{{if .Job.Nope}}{{end}}", {2, 6}, "template: attr:2: .Job has no field Nope"},
      {"{{range .Job.Tags}}{{$.Nope}}{{end}}",
       {1, 22},
       "template: attr:1: .Nope is no namespace; there are .Job, .Command, .Cluster and .Outputs"},
      {"{{nope 1}}", {1, 3}, "template: attr:1: function \"nope\" not defined"},
      {"{{$x}}", {1, 3}, "template: attr:1: undefined variable \"$x\""},
      {"x{{template `foot`}}", {1, 13}, "template: attr:1: template \"foot\" not defined"},
      {"{{$x = 1}}", {1, 3}, "template: attr:1: undefined variable: $x"},
      {"{{print 2i}}", {1, 9}, "template: attr:1: 2i is a complex number, which attributes don't have"},
      {"{{if}}{{end}}", {1, 5}, "template: attr:1: missing value for if"},
  };
  for (const auto& c : cases) {
    ParseError mistake;
    const auto parsed = Template::parse("attr", c.text, &mistake);
    ASSERT_FALSE(parsed.ok()) << c.text;
    EXPECT_EQ(mistake.message, c.message);
    EXPECT_EQ(message(parsed.status()), c.message);
    EXPECT_EQ(mistake.at.line, c.at.line) << c.text;
    EXPECT_EQ(mistake.at.column, c.at.column) << c.text;
  }
}

TEST(Template, AcceptsWhatOnlyARunCanTell) {
  EXPECT_EQ(render("{{if false}}{{template `nope`}}{{end}}ok"), "ok");
  EXPECT_EQ(render("{{with .Cluster}}{{.url}}{{end}}"), "https://h");
  EXPECT_EQ(render("{{$ := .Cluster}}{{$.url}}"), "https://h");  // $ is a variable like any other
  EXPECT_EQ(render("{{define `a`}}{{.url}}{{end}}{{template `a` .Cluster}}"), "https://h");
}

TEST(Template, ListsTheKeysThatItNames) {
  const auto parsed = Template::parse("attr",
                                      "{{.Cluster.a.b}}{{with .Command.c}}{{.d}}{{$.Cluster.e}}{{end}}\n"
                                      "{{index .Cluster `f`}}{{print (.Command.g | len)}}{{.Job.ID}}");
  ASSERT_TRUE(parsed.ok());
  std::string found;
  for (const auto& reference : parsed->references()) {
    found += reference.space + "." + reference.key + "@" + std::to_string(reference.at.line) + ":" +
             std::to_string(reference.at.column) + " ";
  }
  EXPECT_EQ(found, "Cluster.a@1:3 Command.c@1:24 Cluster.e@1:44 Command.g@2:32 ");
}

TEST(Template, KnowsItsLeadingText) {
  const auto leading = [](std::string_view text) {
    return std::string(Template::parse("attr", text)->leading_text());
  };
  EXPECT_EQ(leading("https://h/{{.Job.ID}}"), "https://h/");
  EXPECT_EQ(leading("{{.Job.ID}}x"), "");
  EXPECT_EQ(leading("plain"), "plain");
  EXPECT_EQ(leading(""), "");
}

TEST(Template, EndsEndlessWorkAtItsLimits) {
  const Limits small = {.steps = 1000, .depth = 20, .output_bytes = 100};
  const std::string_view endless[] = {
      "{{range 1000000}}{{end}}",
      "{{range 9223372036854775807}}{{continue}}{{end}}",
      "{{define `a`}}{{template `a`}}{{end}}{{template `a`}}",
      "{{define `a`}}{{template `a`}}{{template `a`}}{{end}}{{template `a`}}",
      "{{range 50}}{{print `0123456789`}}{{end}}",
      "{{printf `%1000000d` 1}}",
      "{{printf `%.1000000f` 1.5}}",
      "{{len (printf `%*d` 1000000 1)}}",
      "{{$x := `aaaaaaaaaa`}}{{range 20}}{{$x = print $x $x}}{{end}}",
      "{{$x := `a`}}{{range 20}}{{$x = replace `a` `aa` $x}}{{end}}",
      "{{$x := `a`}}{{range 20}}{{$x = regexReplaceAll `a` $x `aa`}}{{end}}",
      "{{$x := `a`}}{{range 20}}{{$x = join $x (splitList `` `abcd`)}}{{end}}",
  };
  for (const auto text : endless) {
    EXPECT_EQ(code(text, small), absl::StatusCode::kResourceExhausted) << text;
    EXPECT_NE(code(text), absl::StatusCode::kInvalidArgument)
        << text;  // and under the usual limits it ends, too
  }
}

// Each took minutes when the work of a pattern was counted by its length.
TEST(Template, APatternIsPaidForByTheWorkThatItMakes) {
  Data data = example();
  data.outputs["long"] = std::string(65536, 'a');
  for (const char* text : {
           "{{range 20000}}{{$x := regexReplaceAll (printf `%d(a?){30}a{30}(\\pL|x){20}` .) `a` `` | "
           "len}}{{end}}",
           "{{range 1000}}{{$x := regexReplaceAll `(?s)(a|b)*a(a|b){900}$` $.Outputs.long ``}}{{end}}",
           "{{range 1000}}{{$x := regexReplaceAll `(((a|b)|a|b)*)*a(a|b){19}$` $.Outputs.long `$2`}}{{end}}",
       }) {
    const auto parsed = Template::parse("attr", text);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(parsed->execute(data).status().code(), absl::StatusCode::kResourceExhausted) << text;
  }
}

TEST(Template, APatternMayMatchEachCharacterOfAValue) {
  EXPECT_EQ(render("{{regexReplaceAll `[^a-zA-Z0-9]` (printf `%08000d` 0 | replace `0` `%`) `-` | len}}"),
            "8000");
}

TEST(Template, ALimitSaysWhereItWasPassed) {
  EXPECT_EQ(render("abc{{range 3}}{{.}}{{end}}", {.steps = 100, .depth = 10, .output_bytes = 4}),
            "template: attr:1:16: executing \"attr\" at <{{.}}>: a text grows longer than 4 bytes");
}

std::string nested(std::string_view open, std::string_view close, int depth) {
  std::string text;
  for (int i = 0; i < depth; ++i) text += open;
  text += "1";
  for (int i = 0; i < depth; ++i) text += close;
  return text;
}

TEST(Template, DeepNestingIsRefusedOrRuns) {
  EXPECT_EQ(render("{{" + nested("(", ")", 150) + "}}"), "1");
  EXPECT_EQ(render(nested("{{if 1}}", "{{end}}", 150)), "1");
  const std::string_view too_deep = "refused: template: attr:1: max expression depth exceeded";
  EXPECT_EQ(render("{{" + nested("(", ")", 100'000) + "}}"), too_deep);
  EXPECT_EQ(render(nested("{{if 1}}", "{{end}}", 100'000)), too_deep);
  EXPECT_EQ(render("{{if 0}}" + nested("{{else if 0}}", "", 100'000)), too_deep);
  EXPECT_EQ(render(nested("{{block `a` .}}", "{{end}}", 100'000)), too_deep);
}

TEST(Template, ManyThreadsExecuteOne) {
  const auto parsed = Template::parse("attr",
                                      "{{range $i, $t := .Job.Tags}}{{$i}}{{upper $t}}{{regexReplaceAll `a+` "
                                      "$t `<$0>`}}{{end}}{{toJson .Job.Context}}");
  ASSERT_TRUE(parsed.ok());
  const Data data = example();
  const std::string want = *parsed->execute(data);
  std::vector<int> equal(4);
  {
    std::vector<std::jthread> threads;
    for (int& count : equal) {
      threads.emplace_back([&count, &parsed, &data, &want] {
        for (int i = 0; i < 200; ++i) count += *parsed->execute(data) == want ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(equal, std::vector<int>(4, 200));
}

}  // namespace
}  // namespace waybill::gotemplate
