#include <utility>

#include "waybill/api/rest/gateway.h"
#include "waybill/base/status.h"
#include "waybill/engine/engine.h"

namespace waybill::rest {
namespace {

// Hands every call on as it is: the engine's tasks are awaited by whoever called us.
class EngineGateway : public Gateway {
 public:
  explicit EngineGateway(engine::Engine& engine) : engine_(engine) {}

  Task<absl::StatusOr<engine::Submitted>> submit(engine::SubmitRequest request,
                                                 domain::Caller caller) override {
    return engine_.submitter().submit(std::move(request), std::move(caller));
  }
  Task<absl::StatusOr<std::vector<absl::StatusOr<engine::Submitted>>>> submit_all(
      std::vector<domain::JobSpec> specs, bool atomic, std::string idempotency_key,
      domain::Caller caller) override {
    return engine_.submitter().submit_all(std::move(specs), atomic, std::move(idempotency_key),
                                          std::move(caller));
  }
  Task<absl::StatusOr<engine::Submitted>> rerun(JobId id, std::optional<boost::json::object> context,
                                                domain::Caller caller, std::string idempotency_key) override {
    return engine_.submitter().rerun(std::move(id), std::move(context), std::move(caller),
                                     std::move(idempotency_key));
  }
  Task<JobAnswer> cancel(JobId id, domain::Caller caller) override {
    return engine_.canceler().cancel(std::move(id), std::move(caller));
  }
  Task<std::vector<std::pair<JobId, JobAnswer>>> cancel_all(std::vector<JobId> ids,
                                                            domain::Caller caller) override {
    return engine_.canceler().cancel_all(std::move(ids), std::move(caller));
  }
  Task<absl::StatusOr<std::vector<std::pair<JobId, JobAnswer>>>> cancel_matching(
      ports::JobFilter filter, domain::Caller caller) override {
    return engine_.canceler().cancel_matching(std::move(filter), std::move(caller));
  }
  [[nodiscard]] std::shared_ptr<const domain::Catalog> catalog() const override {
    return engine_.catalog().current();
  }
  Task<CommandAnswer> put_command(domain::Command entry, domain::Caller by) override {
    return engine_.catalog().put_command(std::move(entry), std::move(by));
  }
  Task<ClusterAnswer> put_cluster(domain::Cluster entry, domain::Caller by) override {
    return engine_.catalog().put_cluster(std::move(entry), std::move(by));
  }
  Task<CommandAnswer> put_status(CommandId id, domain::EntryStatus status, domain::Caller by) override {
    return engine_.catalog().put_status(std::move(id), status, std::move(by));
  }
  Task<ClusterAnswer> put_status(ClusterId id, domain::EntryStatus status, domain::Caller by) override {
    return engine_.catalog().put_status(std::move(id), status, std::move(by));
  }
  Task<absl::Status> drop_override(ports::EntryKind kind, std::string id, domain::Caller by) override {
    return engine_.catalog().drop_override(kind, std::move(id), std::move(by));
  }
  Task<JobAnswer> render_again(JobId id, domain::Caller by) override {
    return engine_.render_again(std::move(id), std::move(by));
  }
  Task<std::vector<engine::HealthCheck>> check_all() override { return engine_.health().check_all(); }
  Task<absl::StatusOr<std::vector<engine::HealthCheck>>> check(ClusterId id) override {
    return engine_.health().check(std::move(id));
  }
  [[nodiscard]] bool healthy(const ClusterId& id) const override { return engine_.health().healthy(id); }
  [[nodiscard]] absl::Status ready() const override {
    const engine::Engine::Status status = engine_.status();
    return status.ready ? absl::OkStatus() : unavailable(status.why_not);
  }
  [[nodiscard]] int running() const override { return engine_.status().running; }

 private:
  engine::Engine& engine_;
};

}  // namespace

std::unique_ptr<Gateway> make_gateway(engine::Engine& engine) {
  return std::make_unique<EngineGateway>(engine);
}

}  // namespace waybill::rest
