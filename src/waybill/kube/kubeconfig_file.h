#pragma once

#include <absl/status/statusor.h>

#include <map>
#include <string>
#include <utility>

#include "waybill/kube/kubeconfig.h"

namespace waybill::kube {

// The entries of one or several kubeconfig files. Holds secrets.
class Kubeconfig {
 public:
  // Adds a file's entries where no earlier file has them. InvalidArgument: `path:line: what is wrong`.
  absl::Status add(const std::string& text, const std::string& path);

  // The access of a context; "" : of the current one.
  [[nodiscard]] absl::StatusOr<Access> access(const std::string& context) const;

 private:
  friend class KubeconfigReader;
  struct Place {
    std::string path;
    int line = 0;  // from 1
  };
  struct Context {
    Place place;
    std::string cluster;
    std::string user;
    std::string name_space;
  };
  struct Part {  // of an Access: what a cluster or a user entry says
    Place place;
    Access access;
  };
  std::map<std::string, Context> contexts_;
  std::map<std::string, Part> clusters_;
  std::map<std::string, Part> users_;
  std::string current_;
  Place current_place_;
  std::string first_path_;
};

}  // namespace waybill::kube
