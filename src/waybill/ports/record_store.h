#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "waybill/base/task.h"
#include "waybill/domain/record.h"

namespace waybill::ports {

// Which objects are wanted: those of these uids, and those that are not gone and have one of these names.
struct ObjectKey {
  std::string uid;
  std::string name_space;
  std::string name;
};

// One record as it shall be.
struct RecordWrite {
  domain::Record record;  // a new one without an id: `wanted_id` is asked for, else `<wanted_id>.2`, …
  bool is_new = false;
  std::string wanted_id = {};
  int place = 0;  // among the new ones of its batch: who asks first gets the id
  std::optional<domain::RecordStatus> was = {};  // the status before; nullopt of a new one
  bool tells = true;                             // a transition: an event is appended
  std::string let_go = {};                       // the manifest that it pointed to before, if that changed
};

// What was decided of one object.
struct ObjectWrite {
  domain::KnownObject object;               // its records don't count
  std::optional<std::uint64_t> decided_on;  // the version it was decided on; nullopt: it was not known
  std::vector<RecordWrite> records;         // those that are new or changed
};

struct ObjectDeadLetter {
  std::string scope;    // WatchScope::text()
  std::string subject;  // the uid, or what else tells it from others
  std::string name_space;
  std::string name;
  std::string version;
  std::size_t size = 0;  // bytes as sent
  std::string reason;
};

// One transaction of a watcher.
struct RecordBatch {
  std::string cluster;
  std::vector<ObjectWrite> objects;              // each object once
  std::map<std::string, std::string> manifests;  // by SHA-256, those that `objects` point to anew
  std::vector<ObjectDeadLetter> dead_letters;    // an object's newer one takes the place of the older
  std::optional<domain::WatchScope> cursor_scope;
  std::string cursor;  // moved only if every object of the batch was written
  absl::Time now;      // by the caller's clock
};

struct RecordBatchAnswer {
  // Objects that another watcher changed meanwhile: nothing of them was written, nor the cursor. Load them
  // again and decide anew.
  std::vector<std::string> lost;
  std::map<std::pair<std::string, int>, RecordId> ids;  // of new records, by uid and number
};

// A run as the gateway's job that started it would know it.
struct JobClaim {
  std::string uid;  // of the object
  JobId job;        // what its label says
};

// The run history, to write: what watchers need. All calls may come from any thread. Errors: Unavailable (the
// database is away), ResourceExhausted (too many writes wait), InvalidArgument or Internal (this batch can't
// be stored as it is).
class RecordStore {
 public:
  virtual ~RecordStore() = default;

  // Of the hashes of specifications: made once, the same for all who use the database.
  virtual Task<absl::StatusOr<std::string>> spec_key() = 0;
  // Up to where a watch was recorded; "" : never.
  virtual Task<absl::StatusOr<std::string>> cursor(domain::WatchScope scope) = 0;

  // With the newest record and those that a late outcome may come for. A run whose record retention removed
  // is there with its number alone (Run::forgotten).
  virtual Task<absl::StatusOr<std::vector<domain::KnownObject>>> load(std::string cluster,
                                                                      std::vector<ObjectKey> keys) = 0;
  virtual Task<absl::StatusOr<RecordBatchAnswer>> write(RecordBatch batch) = 0;

  // Objects of a scope that are not gone and whose version is not above `version`, by uid from after `after`;
  // without their records.
  virtual Task<absl::StatusOr<std::vector<domain::KnownObject>>> present(domain::WatchScope scope,
                                                                         std::uint64_t version,
                                                                         std::string after,
                                                                         std::size_t limit) = 0;
  // Likewise those outside of their scope's selection.
  virtual Task<absl::StatusOr<std::vector<domain::KnownObject>>> outside(domain::WatchScope scope,
                                                                         std::string after,
                                                                         std::size_t limit) = 0;
  // Objects whose newest run has waited for the operator since before `opened_before` and does not say so.
  virtual Task<absl::StatusOr<std::vector<domain::KnownObject>>> waiting(absl::Time opened_before,
                                                                         std::size_t limit) = 0;

  // Open runs of scopes that no watch has been able to see for `patience`, by whatever instance, get
  // `unwatched_since`; all others lose it.
  virtual Task<absl::Status> note_unwatched(absl::Duration patience) = 0;
  // Objects with an open run that has been unwatched since before that.
  virtual Task<absl::StatusOr<std::vector<domain::KnownObject>>> unwatched(absl::Time since,
                                                                           std::size_t limit) = 0;

  // Which of the claims are true: the job is there and its handle names the object's uid. By uid.
  virtual Task<absl::StatusOr<std::map<std::string, JobId>>> started_by(std::vector<JobClaim> claims) = 0;

  // True if `holder` now has the scope: it had it, or who had it has not renewed it for `lease`. `watching`:
  // its watch is alive and sees the cluster.
  virtual Task<absl::StatusOr<bool>> take_lease(domain::WatchScope scope, InstanceId holder,
                                                absl::Duration lease, bool watching) = 0;
  virtual Task<absl::Status> give_lease(domain::WatchScope scope, InstanceId holder) = 0;

  // Retention: removes closed records that ended before `before`, at most `limit`, and objects that are gone
  // and have no record any more; answers how many records went. Never an open one.
  virtual Task<absl::StatusOr<std::size_t>> expire(absl::Time before, std::size_t limit) = 0;
  // Removes manifests that nothing points to and has not since before `loose_before`, and dead letters not
  // seen again since `letters_before`; at most `limit` of each.
  virtual Task<absl::Status> clean(absl::Time loose_before, absl::Time letters_before, std::size_t limit) = 0;
};

}  // namespace waybill::ports
