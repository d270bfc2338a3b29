#pragma once

#include "collectives/ucx/ucx_handles.hpp"

#include <set>
#include <string>
#include <vector>

namespace cuboid::detail {

/// A setting of UCX. The user's own choice in UCX's variable comes first.
struct Setting {
  const char* name;
  const char* variable;
  std::string value;
};

/// The settings that Cuboid needs with any transports.
std::vector<Setting> settings_of_all();

/// The settings that Cuboid needs with these transports, only for transports that are there: UCX
/// warns of settings that none of its transports knows.
/// @param transports  as transports_of() names them
/// @param interfaces  the interfaces of TCP that lead to other hosts
std::vector<Setting> settings_of(const std::vector<std::string>& transports,
                                 const std::set<std::string>& interfaces);

/// The transports that UCX may use, each as "transport/device", as UCX's own report names them.
std::vector<std::string> transports_of(ucp_context_h context);

/// True if one of the transports lets ranks reach each other's memory by itself (RDMA). On all
/// others UCX emulates that by messages.
bool has_remote_access(const std::vector<std::string>& transports);

/// True if one of the transports is memory that the ranks of a node share.
bool has_shared_memory(const std::vector<std::string>& transports);

}  // namespace cuboid::detail
