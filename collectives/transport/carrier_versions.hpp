#pragma once

#include <string>

namespace cuboid::detail {

/// The version of the UCX library that this process runs with, e.g. "1.13.1"; empty if Cuboid was
/// built without UCX.
std::string ucx_version();

}  // namespace cuboid::detail
