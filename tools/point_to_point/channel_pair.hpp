#pragma once

#include "tools/point_to_point/channel.hpp"

#include <memory>

namespace cuboid::detail::tools {

/// The features of a channel that a measurement needs.
struct ChannelNeeds {
  std::size_t window_bytes = 0;
  bool against_mpi = false;
  bool direct = false;  ///< direct loads from a peer's memory
};

/// Cuboid's channel and, if the measurement compares with MPI, MPI's. Collective.
struct ChannelPair {
  ChannelPair(const Communicator& world, const ChannelNeeds& needs);

  std::unique_ptr<Channel> cuboid;
  std::unique_ptr<Channel> mpi;  ///< nullptr if MPI is not measured
};

}  // namespace cuboid::detail::tools
