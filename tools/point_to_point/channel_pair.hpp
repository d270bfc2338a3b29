#pragma once

#include "tools/point_to_point/channel.hpp"

#include <memory>

namespace cuboid::detail::tools {

/// What a measurement needs of the channels.
struct ChannelNeeds {
  std::size_t window_bytes = 0;
  bool against_mpi = false;
  bool direct = false;  ///< a peer's memory for loads
};

/// Cuboid's channel and, where it is compared with, MPI's. Collective.
struct ChannelPair {
  ChannelPair(const Communicator& world, const ChannelNeeds& needs);

  std::unique_ptr<Channel> cuboid;
  std::unique_ptr<Channel> mpi;  ///< or null
};

}  // namespace cuboid::detail::tools
