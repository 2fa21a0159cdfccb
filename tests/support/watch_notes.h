#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "waybill/kube/reflector.h"

namespace waybill::testing {

// Writes down what a reflector tells: "begin", "item a@5", "end 7", "ADDED a@8", "bookmark 9",
// "dead b ADDED: why".
class WatchNotes : public kube::WatchSink {
 public:
  Task<void> on_list_begin() override { return note("begin"); }
  Task<absl::Status> on_item(kube::Received item) override {
    return take("item " + named(item.object), std::move(item.object));
  }
  Task<void> on_list_end(std::string version) override { return note("end " + version); }
  Task<absl::Status> on_event(kube::WatchEvent event) override {
    constexpr const char* kWords[] = {"ADDED ", "MODIFIED ", "DELETED "};
    return take(kWords[static_cast<int>(event.type)] + named(event.received.object),
                std::move(event.received.object));
  }
  Task<void> on_bookmark(std::string version) override { return note("bookmark " + version); }
  Task<void> on_dead_letter(kube::DeadLetter letter) override {
    letters.push_back(letter);
    return note("dead " + letter.name.name + " " + letter.type + ": " + letter.reason);
  }

  [[nodiscard]] bool has(const std::string& line) const { return count(line) > 0; }
  [[nodiscard]] std::size_t count(const std::string& line) const {
    return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), line));
  }
  [[nodiscard]] std::size_t count_starting(const std::string& words) const {
    return static_cast<std::size_t>(std::count_if(
        lines.begin(), lines.end(), [&](const std::string& line) { return line.starts_with(words); }));
  }

  std::vector<std::string> lines;
  std::vector<boost::json::object> objects;
  std::vector<kube::DeadLetter> letters;
  // What an object's name is answered with; not set: OK.
  std::function<absl::Status(const std::string& line)> answer;
  // Awaited in each call; not set: nothing.
  std::function<Task<void>()> work;

  static std::string named(const boost::json::object& object) {
    const kube::ObjectName name = kube::name_of(object);
    return name.name + "@" + name.resource_version;
  }

 private:
  Task<void> note(std::string line) {
    lines.push_back(std::move(line));
    if (work) co_await work();
  }
  Task<absl::Status> take(std::string line, boost::json::object object) {
    lines.push_back(line);
    objects.push_back(std::move(object));
    if (work) co_await work();
    co_return answer ? answer(line) : absl::OkStatus();
  }
};

}  // namespace waybill::testing
