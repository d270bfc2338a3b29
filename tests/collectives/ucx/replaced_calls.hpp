#pragma once

namespace cuboid::detail {

/// Has this process's sockets take one half of what is sent, as if they had no room for the other.
extern bool sockets_take_a_half;

}  // namespace cuboid::detail
