#pragma once

#include <string>

namespace cuboid::detail {

/// The version of the UCX that this process runs with, e.g. "1.13.1"; empty where Cuboid was built
/// without it.
std::string ucx_version();

}  // namespace cuboid::detail
