#include "waybill/plugins/context_key.h"

#include <utility>

namespace waybill::plugins {

ports::ContextKey context_key(std::string name, ports::ContextType type, unsigned levels, std::string what,
                              std::string example) {
  ports::ContextKey key;
  key.name = std::move(name);
  key.type = type;
  key.levels = levels;
  key.what = std::move(what);
  key.example = std::move(example);
  return key;
}

}  // namespace waybill::plugins
