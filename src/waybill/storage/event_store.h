#pragma once

#include "waybill/ports/event_store.h"
#include "waybill/storage/reader.h"
#include "waybill/storage/writer.h"

namespace waybill::storage {

class SqlEventStore : public ports::EventStore {
 public:
  SqlEventStore(Writer& writer, Reader& reader) : writer_(writer), reader_(reader) {}

  Task<absl::StatusOr<std::string>> last_position() override;
  Task<absl::StatusOr<ports::EventPage>> read(std::string after, std::size_t limit) override;
  Task<absl::Status> expire(absl::Time before, std::size_t limit) override;

 private:
  Writer& writer_;
  Reader& reader_;
};

}  // namespace waybill::storage
