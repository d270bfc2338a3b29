#include "collectives/transport/carrier_versions.hpp"

#ifdef CUBOID_HAS_UCX
#include <ucp/api/ucp.h>
#endif

namespace cuboid::detail {

std::string ucx_version() {
#ifdef CUBOID_HAS_UCX
  return ucp_get_version_string();
#else
  return {};
#endif
}

}  // namespace cuboid::detail
