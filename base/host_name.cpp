#include "base/host_name.hpp"

#include <climits>

#include <unistd.h>

namespace cuboid::detail {

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace cuboid::detail
