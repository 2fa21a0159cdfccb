#include <fmt/format.h>

#include <boost/json.hpp>
#include <utility>

#include "waybill/api/rest/api.h"
#include "waybill/api/rest/catalog_json.h"
#include "waybill/base/status.h"

// Commands and clusters: the same calls for both kinds.
namespace waybill::rest {
namespace {

constexpr std::size_t kIdBytes = 256;

struct CommandKind {
  using Id = CommandId;
  using Entry = domain::Command;
  static constexpr std::string_view kName = "command";
  static const auto& entries(const domain::Catalog& catalog) { return catalog.commands; }
  static absl::StatusOr<Entry> read(const Call& call, std::vector<std::string>& warnings) {
    return read_command(call.body.get_object(), call.query, warnings);
  }
  static Task<Gateway::CommandAnswer> put(Gateway& gateway, Entry entry, domain::Caller by) {
    return gateway.put_command(std::move(entry), std::move(by));
  }
};

struct ClusterKind {
  using Id = ClusterId;
  using Entry = domain::Cluster;
  static constexpr std::string_view kName = "cluster";
  static const auto& entries(const domain::Catalog& catalog) { return catalog.clusters; }
  static absl::StatusOr<Entry> read(const Call& call, std::vector<std::string>& warnings) {
    return read_cluster(call.body.get_object(), call.query, warnings);
  }
  static Task<Gateway::ClusterAnswer> put(Gateway& gateway, Entry entry, domain::Caller by) {
    return gateway.put_cluster(std::move(entry), std::move(by));
  }
};

const std::string& plugin_of(const domain::Command& command) { return command.plugin; }
std::string plugin_of(const domain::Cluster&) { return {}; }

template <class Kind>
absl::Status unknown() {
  return not_found(fmt::format("unknown {}_id", Kind::kName));
}

template <class Kind>
absl::StatusOr<std::shared_ptr<const typename Kind::Entry>> entry_of(const Api& api, const Call& call) {
  const auto catalog = api.services.gateway.catalog();
  const auto& entries = Kind::entries(*catalog);
  const auto found = entries.find(typename Kind::Id(call.params.at(0)));
  if (found == entries.end()) return unknown<Kind>();
  return found->second;
}

template <class Entry>
Reply entry_reply(const Api& api, const Entry& entry, const std::vector<std::string>& warnings = {}) {
  JsonText out;
  write_entry(entry, api.services.redactor, out);
  std::string body = out.take();
  if (!warnings.empty()) {
    JsonText more;
    more.words("warnings", warnings);
    body.pop_back();
    body += ',' + more.take() + '}';
  }
  return json_reply(std::move(body));
}

template <class Kind>
Task<absl::StatusOr<Reply>> get_entry(ApiPtr api, CallPtr call) {
  WB_CO_ASSIGN(const auto entry, entry_of<Kind>(*api, *call));
  co_return entry_reply(*api, *entry);
}

template <class Kind>
Task<absl::StatusOr<Reply>> get_entry_status(ApiPtr api, CallPtr call) {
  WB_CO_ASSIGN(const auto entry, entry_of<Kind>(*api, *call));
  co_return json_reply(entry_status_json(*entry));
}

template <class Kind>
Task<absl::StatusOr<Reply>> put_entry(ApiPtr api, CallPtr call) {
  std::vector<std::string> warnings;
  WB_CO_ASSIGN(typename Kind::Entry entry, Kind::read(*call, warnings));
  WB_CO_TRY(require_caller(*call));
  const std::string& id = call->params.at(0);
  if (id.size() > kIdBytes) co_return invalid(fmt::format("the id is longer than {} bytes", kIdBytes));
  entry.id = typename Kind::Id(id);
  if (entry.name.empty()) entry.name = id;
  entry.user = call->caller.name;
  auto stored = co_await Kind::put(api->services.gateway, std::move(entry), call->caller);
  WB_CO_TRY(stored);
  co_return entry_reply(*api, **stored, warnings);
}

template <class Kind>
Task<absl::StatusOr<Reply>> put_entry_status(ApiPtr api, CallPtr call) {
  WB_CO_ASSIGN(const domain::EntryStatus status, read_entry_status(call->body.get_object(), call->query));
  WB_CO_TRY(require_caller(*call));
  const typename Kind::Id id(call->params.at(0));
  auto stored = co_await api->services.gateway.put_status(id, status, call->caller);
  if (!stored.ok() && absl::IsNotFound(stored.status())) co_return unknown<Kind>();
  WB_CO_TRY(stored);
  co_return json_reply(entry_status_json(**stored));
}

// As SQL would: a pattern that is not asked for matches all.
bool fits(const Query& query, std::string_view name, std::string_view text) {
  const std::string* pattern = query.find(name);
  return pattern == nullptr || like(*pattern, text);
}

template <class Kind>
bool wanted(const Query& query, const typename Kind::Entry& entry) {
  if (!fits(query, "id", entry.id.str()) || !fits(query, "username", entry.user) ||
      !fits(query, "name", entry.name) || !fits(query, "version", entry.version)) {
    return false;
  }
  // Heimdall's clusters have no plugin and its list ignores the filter.
  if (Kind::kName == CommandKind::kName && !fits(query, "plugin", plugin_of(entry))) return false;
  if (query.find("status") == nullptr) return true;
  const std::vector<std::string> words = query.exact_list("status");
  return std::find(words.begin(), words.end(), to_string(entry.status)) != words.end();
}

template <class Kind>
Task<absl::StatusOr<Reply>> list_entries(ApiPtr api, CallPtr call) {
  const auto catalog = api->services.gateway.catalog();
  JsonText out;
  out.begin_object();
  out.key("data");
  out.begin_array();
  for (const auto& [id, entry] : Kind::entries(*catalog)) {
    if (wanted<Kind>(call->query, *entry)) write_entry(*entry, api->services.redactor, out);
  }
  out.end_array();
  out.end_object();
  co_return json_reply(out.take());
}

template <class Kind>
Task<absl::StatusOr<Reply>> drop_override(ApiPtr api, CallPtr call) {
  WB_CO_TRY(require_admin(*call));
  constexpr bool kCommand = Kind::kName == CommandKind::kName;
  const absl::Status dropped = co_await api->services.gateway.drop_override(
      kCommand ? ports::EntryKind::kCommand : ports::EntryKind::kCluster, call->params.at(0), call->caller);
  WB_CO_TRY(dropped);
  const auto entry = entry_of<Kind>(*api, *call);
  if (!entry.ok()) co_return json_reply("{}");  // the config knows no such entry: it has gone altogether
  co_return entry_reply(*api, **entry);
}

Task<absl::StatusOr<Reply>> get_statuses(ApiPtr, CallPtr) {
  co_return json_reply(R"(["ACTIVE","DELETED","INACTIVE"])");
}

template <class Kind>
void add_routes(Api& api) {
  const std::string one = fmt::format("/{}", Kind::kName);
  Router& base = api.base;
  base.add({Method::kGet, one + "/statuses", Needs::kNothing, Audit::kDenied, get_statuses});
  base.add({Method::kGet, one + "/{id}", Needs::kNothing, Audit::kDenied, get_entry<Kind>});
  base.add({Method::kPut, one + "/{id}", Needs::kBodyThenCaller, Audit::kChanges, put_entry<Kind>});
  base.add({Method::kGet, one + "/{id}/status", Needs::kNothing, Audit::kDenied, get_entry_status<Kind>});
  base.add(
      {Method::kPut, one + "/{id}/status", Needs::kBodyThenCaller, Audit::kChanges, put_entry_status<Kind>});
  base.add({Method::kDelete, one + "/{id}/override", Needs::kCaller, Audit::kChanges, drop_override<Kind>});
  base.add({Method::kGet, one + "s", Needs::kNothing, Audit::kDenied, list_entries<Kind>});
}

}  // namespace

void add_catalog_routes(Api& api) {
  add_routes<CommandKind>(api);
  add_routes<ClusterKind>(api);
}

}  // namespace waybill::rest
