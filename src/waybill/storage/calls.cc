#include "waybill/storage/calls.h"

namespace waybill::storage {
namespace {

struct Script {
  std::vector<Call> calls;
  std::vector<ports::ChangeNotice> notices;
};

Flow<absl::StatusOr<std::vector<Rows>>> script_flow(Batch& batch, std::shared_ptr<const Script> script) {
  std::vector<Call> calls = script->calls;
  std::vector<Rows> rows = co_await batch.run(std::move(calls));
  for (const ports::ChangeNotice& notice : script->notices) batch.tell(notice);
  co_return rows;
}

}  // namespace

// NOLINTNEXTLINE(*-reference-coroutine-parameters): the writer outlives every call
Task<absl::StatusOr<std::vector<Rows>>> write_calls(Writer& writer, std::vector<Call> calls,
                                                    std::vector<ports::ChangeNotice> notices) {
  auto script = std::make_shared<Script>();
  script->calls = std::move(calls);
  script->notices = std::move(notices);
  std::function<Flow<absl::StatusOr<std::vector<Rows>>>(Batch&)> make = [script](Batch& batch) {
    return script_flow(batch, script);
  };
  absl::StatusOr<std::vector<Rows>> rows = co_await writer.run<std::vector<Rows>>(std::move(make));
  co_return rows;
}

// NOLINTNEXTLINE(*-reference-coroutine-parameters): the reader outlives every call
Task<absl::StatusOr<Rows>> read_rows(Reader& reader, Call call) {
  auto work = [call = std::move(call)](Session& session) { return run_one(session, call); };
  absl::StatusOr<Rows> rows = co_await reader.run(std::move(work));
  co_return rows;
}

}  // namespace waybill::storage
