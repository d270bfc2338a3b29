#pragma once

#include <string>

namespace cuboid::detail {

/// The name of this host, as gethostname() gives it.
std::string host_name();

}  // namespace cuboid::detail
