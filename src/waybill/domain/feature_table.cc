#include "waybill/domain/feature_table.h"

#include "waybill/base/md5.h"

namespace waybill::domain {

std::string feature_table_hash(std::string_view project, std::string_view table) {
  return md5_hex(std::string(project) + ':' + std::string(table));
}

}  // namespace waybill::domain
