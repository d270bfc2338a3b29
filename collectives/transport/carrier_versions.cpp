#include "collectives/transport/carrier_versions.hpp"

#include <array>

#include <mpi.h>

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

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  const std::string whole(text.data());
  return whole.substr(0, whole.find('\n'));
}

}  // namespace cuboid::detail
