#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <string>
#include <vector>

// What ::posix_spawn wants, made and given back. It starts a program cheaply also from a big process (vfork).
// Only the standard library and POSIX.
namespace waybill {

// What the new process does, in the order of the calls, before its program begins.
class SpawnActions {
 public:
  SpawnActions();
  ~SpawnActions();
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  void open(int as, const char* path, int flags, mode_t mode = 0);
  void duplicate(int from, int as);  // `as` outlives the exec, whatever `from` does
  void close_from(int first);
  void enter(const char* folder);
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_ = {};
};

// A process that blocks no signal and ignores none, whatever this one does.
class SpawnAttributes {
 public:
  enum class Leads { kGroup, kSession };

  explicit SpawnAttributes(Leads leads);
  ~SpawnAttributes();
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;

  [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_ = {};
};

// The arguments or the environment of an exec: pointers into `texts`, and a null pointer at the end.
[[nodiscard]] std::vector<char*> exec_texts(const std::vector<std::string>& texts);

}  // namespace waybill
