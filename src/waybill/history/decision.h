#pragma once

#include <absl/time/time.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "waybill/domain/record.h"
#include "waybill/history/application.h"
#include "waybill/history/rules.h"
#include "waybill/ports/record_store.h"

namespace waybill::history {

// What a record's attributes are made of beside itself. Renders them into the record; `is_final`: what is
// missing now stays missing.
using RenderAttributes = std::function<void(domain::Record& record, const Application& app, bool is_final)>;

// What is decided of some objects: loaded as the database has them, put through the rules event by event, and
// written where they differ in the end (R17, R18). Pure.
class Decision {
 public:
  Decision(std::string scope, std::vector<KnownObject> loaded, const RenderAttributes& render)
      : scope_(std::move(scope)), render_(render) {
    for (KnownObject& object : loaded) add(std::move(object));
  }

  // Of objects of any scope, for what time alone does to them.
  Decision(std::vector<KnownObject> loaded, const RenderAttributes& render)
      : Decision("", std::move(loaded), render) {}

  [[nodiscard]] const KnownObject* find(const std::string& uid) const;
  // Whether the rules have to see it: not an older or doubled event.
  [[nodiscard]] bool is_news(const Application& app, Seen seen) const;
  // Closes the older objects of its name (R3). Right for any event, also one that is no news.
  void close_namesakes(const Application& app, absl::Time now);
  // The object after an event that is_news().
  void take(const Application& app, Seen seen, absl::Time now, const std::string& cluster);
  // It is there, as before: this scope's watch sees it now.
  void touch(const std::string& uid);
  // It left the selection with a run open, or may have: it is read by name until that ends.
  void put_outside(const std::string& uid, bool outside);
  void lose(const std::string& uid, absl::Time now);
  void note_waiting(const std::string& uid, absl::Time now);
  // Whether the newest run would be open after an event that is no deletion.
  [[nodiscard]] bool would_be_open(const Application& app, absl::Time now, const std::string& cluster) const;

  // Runs whose label claims a job of this gateway that is not known to have started them.
  [[nodiscard]] std::vector<ports::JobClaim> claims() const;
  void link(const std::map<std::string, JobId>& jobs);

  // What has to be written; `manifests` by hash are added.
  [[nodiscard]] std::vector<ports::ObjectWrite> writes(std::map<std::string, std::string>& manifests) const;

 private:
  struct Case {
    std::optional<KnownObject> before;  // as stored
    KnownObject now;
    std::optional<Application> app;  // the last event
    struct Opening {
      std::string wanted_id;
      int place = 0;
    };
    std::map<int, Opening> opened;  // by number, what was asked for at that time
  };
  void add(KnownObject object);
  void render(Case& one, const std::vector<domain::Record>& before);
  ports::ObjectWrite write_of(const Case& one, std::map<std::string, std::string>& manifests) const;

  std::string scope_;
  const RenderAttributes& render_;
  std::map<std::string, Case> cases_;             // by uid
  std::map<std::string, std::string> manifests_;  // by hash, of the events
  int openings_ = 0;
};

}  // namespace waybill::history
