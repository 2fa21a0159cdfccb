#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "waybill/base/status.h"
#include "waybill/template/template.h"

// Tables from the documentation of Go's text/template, fmt, time and Sprig.
namespace waybill::gotemplate {
namespace {

std::string render(std::string_view text) {
  Data data;
  data.command =
      boost::json::parse(R"({"l": [1, "two", 3.5, true, null], "m": {"b": 1, "a": [2]}, "s": "hello"})")
          .get_object();
  data.command["raw"] = boost::json::string(
      "a\xFF"
      "b",
      3);
  data.job.tags = {"x", "y", "z"};
  const auto parsed = Template::parse("attr", text);
  if (!parsed.ok()) return message(parsed.status());
  const auto rendered = parsed->execute(data);
  return rendered.ok() ? *rendered : message(rendered.status());
}

// The error of a function, without its place.
std::string mistake(std::string_view text) {
  const std::string whole = render(text);
  const std::size_t at = whole.find(">: ");
  return at == std::string::npos ? "no error: " + whole : whole.substr(at + 3);
}

struct Case {
  std::string_view text;
  std::string_view want;
};

void expect_all(std::initializer_list<Case> cases) {
  for (const Case& c : cases) EXPECT_EQ(render(c.text), c.want) << c.text;
}

TEST(Printf, KnowsGosVerbsAndFlags) {
  expect_all({
      {"{{printf `%5d|%-5d|%05d|%+d|% d` 42 42 42 42 42}}", "   42|42   |00042|+42| 42"},
      {"{{printf `%x %X %#x %o %#o %O %b` 255 255 255 8 8 8 5}}", "ff FF 0xff 10 010 0o10 101"},
      {"{{printf `%c %q %U %#U` 97 97 97 97}}", "a 'a' U+0061 U+0061 'a'"},
      {"{{printf `%.2f %8.3f %e %g` 3.14159 3.14159 1234.5 1e21}}", "3.14    3.142 1.234500e+03 1e+21"},
      {"{{printf `%s %q %x %.2s %-6s|` `hi` `hi` `hi` `hello` `é`}}", "hi \"hi\" 6869 he é     |"},
      {"{{printf `%v %+v %#v %T` .Command.l .Command.m .Command.m .Command.l}}",
       "[1 two 3.5 true <nil>] map[a:[2] b:1] map[string]interface {}{\"a\":[]interface {}{2}, \"b\":1} "
       "[]interface {}"},
      {"{{printf `%t %v` true false}}", "true false"},
      {"{{printf `%[2]d %[1]d` 1 2}}", "2 1"},
      {"{{printf `%*d|%.*f` 5 42 1 2.55}}", "   42|2.5"},
  });
}

TEST(Printf, ShowsMistakesInItsText) {
  expect_all({
      {"{{printf `%d` `hi`}}", "%!d(string=hi)"},
      {"{{printf `%d`}}", "%!d(MISSING)"},
      {"{{printf `%d` 1 2}}", "1%!(EXTRA int=2)"},
      {"{{printf `%`}}", "%!(NOVERB)"},
      {"{{printf `%*d` `x` 1}}", "%!(BADWIDTH)1"},
      {"{{printf `%.*d` -1 1}}", "%!(BADPREC)1"},
      {"{{printf `%[5]d` 1}}", "%!d(BADINDEX)"},
      {"{{printf `%z` nil}}", "%!z(<nil>)"},
  });
}

TEST(Print, SpacesStandBetweenOperandsThatAreNoStrings) {
  expect_all({
      {"{{print 1 2 `a` `b` 3}}", "1 2ab3"},
      {"{{print `a` 1 2 `b`}}", "a1 2b"},
      {"{{println 1 `a`}}", "1 a\n"},
      {"{{print nil}}|{{html nil}}", "<nil>|&lt;no value&gt;"},
  });
}

TEST(Escapes, FollowGo) {
  expect_all({
      {"{{html `<a href=\"x\">'&`}}", "&lt;a href=&#34;x&#34;&gt;&#39;&amp;"},
      {"{{js `'\"<>&=\\`}}", R"(\'\"\u003C\u003E\u0026\u003D\\)"},
      {"{{urlquery `a b/ü?`}}", "a+b%2F%C3%BC%3F"},
      {"{{urlPathEscape `a b/c:d@e;f`}}", "a%20b%2Fc:d@e%3Bf"},
  });
}

TEST(Collections, IndexAndSlice) {
  expect_all({
      {"{{index .Command.l 1}}{{index .Command.m `a` 0}}{{index `abc` 1}}", "two298"},
      {"{{slice .Command.l 1 3}}{{slice `hello` 1 3}}{{slice .Job.Tags 2}}", "[two 3.5]el[z]"},
      {"{{slice (slice .Command.l 0 1) 0 2}}", "[1 two]"},  // a part can grow again
      {"{{len .Command.l}}{{len `é`}}{{len .Command.m}}", "522"},
  });
  EXPECT_EQ(mistake("{{index .Command.l 9}}"), "error calling index: index out of range: 9");
  EXPECT_EQ(mistake("{{index .Command.m 1}}"), "error calling index: value has type int; should be string");
  EXPECT_EQ(mistake("{{slice (slice .Command.l 0 1 1) 0 2}}"), "error calling slice: index out of range: 2");
  EXPECT_EQ(mistake("{{slice `abc` 2 1}}"), "error calling slice: invalid slice index: 2 > 1");
  EXPECT_EQ(mistake("{{len 3}}"), "error calling len: len of type int");
}

TEST(Comparison, ComparesLikeWithLike) {
  expect_all({
      {"{{eq 1 2 1}} {{eq `a` `b`}} {{ne 1 2}} {{lt 1 2}} {{le 2 2}} {{gt `b` `a`}} {{ge 1.5 2.5}}",
       "true false true true true true false"},
      {"{{eq 97 (index `a` 0)}} {{eq .Command.l nil}}", "true false"},
      {"{{and 1 0 2}} {{or 0 `` `x`}} {{not ``}}", "0 x true"},
      {"{{or `x` .Command.nope}}", "x"},  // stops before the missing key
  });
  EXPECT_EQ(mistake("{{eq 1 1.0}}"), "error calling eq: incompatible types for comparison: int and float64");
  EXPECT_EQ(mistake("{{lt true false}}"), "error calling lt: invalid type for comparison");
  EXPECT_EQ(mistake("{{eq 1}}"), "error calling eq: missing argument for comparison");
  EXPECT_EQ(mistake("{{eq .Command.l .Command.l}}").substr(0, 38), "error calling eq: non-comparable type ");
}

TEST(Strings, FollowSprig) {
  expect_all({
      {"{{trim `  a `}}|{{trimPrefix `a` `ab`}}|{{trimSuffix `b` `ab`}}", "a|b|a"},
      {"{{upper `éa`}} {{lower `ÉA`}} {{title `o'neil ünï_x`}}", "ÉA éa O'Neil Ünï_x"},
      {"{{replace `a` `b` `banana`}} {{replace `` `-` `ab`}}", "bbnbnb -a-b-"},
      {"{{contains `b` `abc`}} {{hasPrefix `a` `abc`}} {{hasSuffix `a` `abc`}}", "true true false"},
      {"{{join `,` .Command.l}} {{join `,` 3}} {{splitList `,` `a,b` | len}} {{len (splitList `` ``)}}",
       "1,two,3.5,true 3 2 0"},
      {"{{trunc 2 `hello`}} {{trunc -2 `hello`}} {{trunc 9 `hi`}}", "he lo hi"},
      {"{{quote `a` nil 1}} {{squote `it's`}}", "\"a\" \"1\" 'it's'"},
      {"{{upper .Command.raw}}",
       "A\uFFFD"
       "B"},
  });
}

TEST(Defaults, FollowSprig) {
  expect_all({
      {"{{default `d` ``}}{{default `d` 0}}{{default `d` `v`}}", "ddv"},
      {"{{coalesce 0 `` `x`}}{{coalesce}}", "x<no value>"},
      {"{{ternary 1 2 true}}{{empty .Command.m}}", "1false"},
      {"{{int `0x1f`}} {{int 1.9}} {{int `1.0`}} {{int `x`}} {{int true}}", "31 1 1 0 1"},
  });
}

TEST(Encode, FollowsSprig) {
  expect_all({
      {"{{b64enc `user:pass`}} {{b64dec `dXNlcjpwYXNz`}}", "dXNlcjpwYXNz user:pass"},
      {"{{b64dec `YQ=`}}", "illegal base64 data at input byte 3"},
      {"{{b64dec `YQ==\n`}}", "a"},
      {"{{sha256sum ``}}", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"{{toJson .Command.m}} {{toJson `<é\u2028`}} {{toJson 1e21}} {{toJson .Job.Context}} {{toJson "
       ".Job.Tags}}",
       R"({"a":[2],"b":1} "\u003cé\u2028" 1e+21 null ["x","y","z"])"},
  });
}

TEST(Date, ShowsAnyNumberInUtc) {
  expect_all({
      {"{{date `2006-01-02T15:04:05Z07:00` 1709210096}}", "2024-02-29T12:34:56Z"},
      {"{{date `Mon Jan _2 3:04PM MST -0700 002` 1709210096}}", "Thu Feb 29 12:34PM UTC +0000 060"},
      {"{{date `05.000 05,999` 1.5}}", "01.000 01"},  // a float counts, its fraction doesn't
      {"{{date `2006` -62167219200}}", "0000"},
  });
  EXPECT_EQ(mistake("{{date `2006` `now`}}"),
            "error calling date: expected a number of seconds since 1970; got string");
  EXPECT_EQ(mistake("{{date `2006` 1e300}}"),
            "error calling date: the number of seconds since 1970 is too large for a date");
}

TEST(Regex, ReplacesAsGo) {
  expect_all({
      {"{{regexReplaceAll `a(x*)b` `-ab-axxb-` `${1}W`}}", "-W-xxW-"},
      {"{{regexReplaceAll `a(x*)b` `-ab-axxb-` `$1W`}}", "---"},  // the group named 1W
      {"{{regexReplaceAll `(?P<n>a)(?P<n>b)` `ab` `<$n>`}}", "<a>"},
      {"{{regexReplaceAll `x*` `abc` `-`}}", "-a-b-c-"},
      {"{{regexReplaceAll `a.b` .Command.raw `<$0>` | printf `%q`}}", R"("<a\xffb>")"},
  });
  EXPECT_EQ(
      mistake("{{regexReplaceAll `[a` `x` `y`}}"),
      "error calling regexReplaceAll: regexp: Compile(`[a`): error parsing regexp: missing closing ]: `[a`");
  EXPECT_EQ(
      mistake("{{regexReplaceAll `\\C` `x` `y`}}").substr(0, 60),
      std::string("error calling regexReplaceAll: regexp: Compile(`\\C`): error parsing").substr(0, 60));
}

TEST(Call, FindsNothingToCall) {
  EXPECT_EQ(mistake("{{call 1}}"), "error calling call: non-function 1 of type int");
  EXPECT_EQ(mistake("{{`x` | call}}"), "error calling call: non-function x of type string");
}

TEST(Arguments, MustBeWhatTheFunctionTakes) {
  EXPECT_EQ(mistake("{{upper 1}}"), "expected string; found 1");
  EXPECT_EQ(mistake("{{upper .Job.Tags}}"), "wrong type for value; expected string; got []string");
  EXPECT_EQ(mistake("{{upper nil}}"), "cannot assign nil to string");
  EXPECT_EQ(mistake("{{upper}}"), "wrong number of args for upper: want 1 got 0");
  EXPECT_EQ(mistake("{{eq}}"), "wrong number of args for eq: want at least 1 got 0");
  EXPECT_EQ(mistake("{{get `a` `b`}}"), "can't handle `a` for arg of type map[string]interface {}");
}

}  // namespace
}  // namespace waybill::gotemplate
