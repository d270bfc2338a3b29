#pragma once

#include "collectives/ucx/ucx_handles.hpp"

#include <set>
#include <string>
#include <vector>

namespace cuboid::detail {

/// A setting of UCX; the user's own choice of it, in UCX's variable, comes first.
struct Setting {
  const char* name;
  const char* variable;
  std::string value;
};

/// What Cuboid needs of UCX whatever it runs over.
std::vector<Setting> settings_of_all();

/// What it needs of these transports, as `transports_of()` names them. UCX warns of settings that
/// none of its transports knows.
/// @param interfaces  those of TCP that lead to other hosts
std::vector<Setting> settings_of(const std::vector<std::string>& transports,
                                 const std::set<std::string>& interfaces);

/// "transport/device" of each that UCX may use, as its own report names them.
std::vector<std::string> transports_of(ucp_context_h context);

/// Whether one of them lets ranks reach each other's memory by itself (RDMA). On all others UCX
/// emulates that by messages.
bool has_remote_access(const std::vector<std::string>& transports);

/// Whether one of them is memory that ranks of a node share.
bool has_shared_memory(const std::vector<std::string>& transports);

}  // namespace cuboid::detail
