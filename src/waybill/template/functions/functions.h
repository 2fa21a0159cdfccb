#pragma once

#include "waybill/template/functions/table.h"

// The functions of the table, by the file they stand in. All have the shape of Function.
namespace waybill::gotemplate::functions {

using Arguments = std::span<const Value>;

// collections.cc
Value index(Workspace& work, Arguments arguments);
Value slice(Workspace& work, Arguments arguments);
Value len(Workspace& work, Arguments arguments);
Value get(Workspace& work, Arguments arguments);
Value has_key(Workspace& work, Arguments arguments);
Value dig(Workspace& work, Arguments arguments);

// comparison.cc
Value logical_not(Workspace& work, Arguments arguments);
Value eq(Workspace& work, Arguments arguments);
Value ne(Workspace& work, Arguments arguments);
Value lt(Workspace& work, Arguments arguments);
Value le(Workspace& work, Arguments arguments);
Value gt(Workspace& work, Arguments arguments);
Value ge(Workspace& work, Arguments arguments);

// text.cc
Value print(Workspace& work, Arguments arguments);
Value printf(Workspace& work, Arguments arguments);
Value println(Workspace& work, Arguments arguments);
Value html(Workspace& work, Arguments arguments);
Value js(Workspace& work, Arguments arguments);
Value urlquery(Workspace& work, Arguments arguments);
Value url_path_escape(Workspace& work, Arguments arguments);
Value quote(Workspace& work, Arguments arguments);
Value squote(Workspace& work, Arguments arguments);
Value to_string(Workspace& work, Arguments arguments);

// strings.cc
Value trim(Workspace& work, Arguments arguments);
Value trim_prefix(Workspace& work, Arguments arguments);
Value trim_suffix(Workspace& work, Arguments arguments);
Value lower(Workspace& work, Arguments arguments);
Value upper(Workspace& work, Arguments arguments);
Value title(Workspace& work, Arguments arguments);
Value replace(Workspace& work, Arguments arguments);
Value contains(Workspace& work, Arguments arguments);
Value has_prefix(Workspace& work, Arguments arguments);
Value has_suffix(Workspace& work, Arguments arguments);
Value join(Workspace& work, Arguments arguments);
Value split_list(Workspace& work, Arguments arguments);
Value trunc(Workspace& work, Arguments arguments);

// defaults.cc
Value default_value(Workspace& work, Arguments arguments);
Value empty(Workspace& work, Arguments arguments);
Value coalesce(Workspace& work, Arguments arguments);
Value ternary(Workspace& work, Arguments arguments);
Value to_int(Workspace& work, Arguments arguments);

// encode.cc
Value to_json(Workspace& work, Arguments arguments);
Value b64enc(Workspace& work, Arguments arguments);
Value b64dec(Workspace& work, Arguments arguments);
Value sha256sum(Workspace& work, Arguments arguments);

// date.cc
Value date(Workspace& work, Arguments arguments);

// regex.cc
Value regex_replace_all(Workspace& work, Arguments arguments);

}  // namespace waybill::gotemplate::functions
