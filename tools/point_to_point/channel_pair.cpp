#include "tools/point_to_point/channel_pair.hpp"

namespace cuboid::detail::tools {

ChannelPair::ChannelPair(const Communicator& world, const ChannelNeeds& needs)
    : cuboid(cuboid_channel(world, needs.window_bytes)) {
  if (needs.against_mpi) mpi = mpi_channel(MPI_COMM_WORLD, needs.window_bytes, needs.direct);
}

}  // namespace cuboid::detail::tools
