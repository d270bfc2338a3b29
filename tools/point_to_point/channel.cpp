#include "tools/point_to_point/channel.hpp"

namespace cuboid::detail::tools {

ChannelPair::ChannelPair(const Communicator& world, const ChannelNeeds& needs)
    : cuboid(cuboid_channel(world, needs.window_bytes)) {
  if (!needs.against_mpi) return;
  // A rank may wait in MPI for a rank that waits in Cuboid until its own deadline.
  mpi = mpi_channel(MPI_COMM_WORLD, needs.window_bytes, needs.direct,
                    2 * world.environment().timeout);
}

}  // namespace cuboid::detail::tools
