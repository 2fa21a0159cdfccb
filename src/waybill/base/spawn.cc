#include "waybill/base/spawn.h"

#include <signal.h>

namespace waybill {

SpawnActions::SpawnActions() { ::posix_spawn_file_actions_init(&actions_); }

SpawnActions::~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }

void SpawnActions::open(int as, const char* path, int flags, mode_t mode) {
  ::posix_spawn_file_actions_addopen(&actions_, as, path, flags, mode);
}

void SpawnActions::duplicate(int from, int as) { ::posix_spawn_file_actions_adddup2(&actions_, from, as); }

void SpawnActions::close_from(int first) { ::posix_spawn_file_actions_addclosefrom_np(&actions_, first); }

void SpawnActions::enter(const char* folder) { ::posix_spawn_file_actions_addchdir_np(&actions_, folder); }

SpawnAttributes::SpawnAttributes(Leads leads) {
  ::posix_spawnattr_init(&attributes_);
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes_, &none);
  ::posix_spawnattr_setsigdefault(&attributes_, &all);
  ::posix_spawnattr_setpgroup(&attributes_, 0);
  const int own = leads == Leads::kSession ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP;
  ::posix_spawnattr_setflags(&attributes_,
                             static_cast<short>(own | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
}

SpawnAttributes::~SpawnAttributes() { ::posix_spawnattr_destroy(&attributes_); }

std::vector<char*> exec_texts(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  // exec takes them as char* and changes none.
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace waybill
