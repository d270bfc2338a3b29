#pragma once

#include <cuboid/communicator.hpp>

#include <functional>
#include <string>

namespace cuboid::detail::tools {

/// Throws Error(out_of_memory) if the ranks on this node need more memory than it has available.
/// @param bytes_of  bytes that a rank needs.
/// @param what      what needs them, e.g. "a 500 x 500 matrix of float64".
/// @param remedy    what the user can do instead.
void require_node_memory(const Communicator& communicator,
                         const std::function<double(int rank)>& bytes_of, const std::string& what,
                         const std::string& remedy);

}  // namespace cuboid::detail::tools
