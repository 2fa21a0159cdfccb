#include "waybill/kube/list_reader.h"

#include <boost/json/parse.hpp>
#include <utility>

#include "waybill/base/status.h"
#include "waybill/kube/json_access.h"
#include "waybill/kube/stream_scan.h"

namespace waybill::kube {
namespace json = boost::json;
namespace {

absl::Status broken(std::string_view what) {
  return error(absl::StatusCode::kUnavailable, "bad_answer", "a list of the API server " + std::string(what));
}

}  // namespace

struct ListReader::State {
  State(Api& where, Listing what, Options how)
      : api(where), listing(std::move(what)), options(std::move(how)), splitter(options.object_limit) {}

  [[nodiscard]] ApiRequest next_page() const {
    ApiRequest request;
    request.path = collection_path(listing.resource, listing.name_space);
    request.query = selection(listing);
    request.query.emplace_back("limit", std::to_string(listing.page_size));
    if (!token.empty()) {
      request.query.emplace_back("continue", token);
    } else if (!options.resource_version.empty()) {
      request.query.emplace_back("resourceVersion", options.resource_version);
    }
    request.silence = options.silence;
    return request;
  }

  // What is around the items: the version, and whether there is another page.
  absl::Status end_page() {
    boost::system::error_code problem;
    const json::value value = json::parse(splitter.envelope(), problem);
    if (problem || !value.is_object()) return broken("is not JSON");
    const json::object& envelope = value.get_object();
    if (text_at(envelope, "kind") == "Status")
      return to_status(parse_api_error(200, splitter.envelope()), "GET " + next_page().path);
    const json::object* metadata = object_at(envelope, "metadata");
    const std::string at = metadata == nullptr ? "" : text_at(*metadata, "resourceVersion");
    if (at.empty()) return broken("has no resourceVersion");
    if (!version.empty() && version != at) return broken("has another resourceVersion on a later page");
    version = at;
    token = text_at(*metadata, "continue");
    all_read = token.empty();
    splitter = ListSplitter(options.object_limit);
    stream.reset();
    return absl::OkStatus();
  }

  Api& api;
  const Listing listing;
  const Options options;
  ListSplitter splitter;
  std::unique_ptr<ByteStream> stream;
  std::string token;
  std::string version;
  bool all_read = false;
  bool canceled = false;
};

ListReader::ListReader(Api& api, Listing listing) : ListReader(api, std::move(listing), Options()) {}
ListReader::ListReader(Api& api, Listing listing, Options options)
    : state_(std::make_unique<State>(api, std::move(listing), std::move(options))) {}
ListReader::~ListReader() = default;

Task<absl::StatusOr<std::optional<Received>>> ListReader::next() {
  State& state = *state_;
  while (!state.all_read) {
    if (state.canceled) co_return error(absl::StatusCode::kCancelled, "canceled", "the list was given up");
    if (state.stream == nullptr) {
      state.stream = state.api.open(state.next_page());
    }
    absl::StatusOr<std::optional<Piece>> piece = state.splitter.next();
    WB_CO_TRY(piece);
    if (*piece) co_return std::optional<Received>(read_piece(**piece, "LISTED"));
    absl::StatusOr<std::string> bytes = co_await state.stream->read();
    if (!bytes.ok()) {
      state.stream.reset();
      state.splitter = ListSplitter(state.options.object_limit);
      co_return bytes.status();
    }
    if (!bytes->empty()) {
      state.splitter.feed(*std::move(bytes));
    } else if (!state.splitter.complete()) {
      co_return broken("ended before its end");
    } else {
      WB_CO_TRY(state.end_page());
    }
  }
  co_return std::optional<Received>();
}

const std::string& ListReader::resource_version() const { return state_->version; }

void ListReader::cancel() {
  state_->canceled = true;
  if (state_->stream != nullptr) state_->stream->cancel();
}

}  // namespace waybill::kube
