#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "waybill/template/template.h"
#include "waybill/template/vector_data.h"

using waybill::gotemplate::Data;
using waybill::gotemplate::Limits;
using waybill::gotemplate::ParseError;
using waybill::gotemplate::Template;

// Any text as a template over data of every kind: it is refused with a place or ends within its limits.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Data values = *waybill::gotemplate::data_from_json(
      R"({"Job":{"ID":"j-1","Name":"Ü n\u0000<&>'\"","Tags":["a","","b:c"],
      "Context":{"n":3,"l":[1,null,{"k":"v"}],"s":"x"},"CreatedAt":1700000000,"IsSync":true},
      "Command":{"i":-7,"u":{"$uint64":"18446744073709551615"},"f":1.5e300,"nan":{"$float":"NaN"},"z":-0.0,
      "s":"a,b","raw":{"$b64":"Yf9i4oI="},"null":null,"l":[1,"two",3.5,true,null,[],{}],"m":{"b":{"c":[0]},"a":1}},
      "Cluster":{"url":"https://h/a b?c=d&e"},"Outputs":{"id":"spark-1","empty":""}})");
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ParseError mistake;
  const auto parsed = Template::parse("fuzz", text, &mistake);
  if (!parsed.ok()) {
    if (mistake.message.empty() || mistake.at.line < 1 || mistake.at.column < 1) std::abort();
    return 0;
  }
  (void)parsed->references();
  (void)parsed->leading_text();
  const Limits limits = {.steps = 20'000, .depth = 200, .output_bytes = 8192};
  const auto rendered = parsed->execute(values, limits);
  if (rendered.ok() && rendered->size() > limits.output_bytes) std::abort();
  return 0;
}
