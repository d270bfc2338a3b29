#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/export.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid {

/// The predicted time of a collective by its fastest algorithm.
struct Prediction {
  double seconds = 0;
  std::string algorithm;  ///< its name, as in CUBOID_ALGORITHM
};

/// Predicts a collective on a communicator's ranks and network. Not collective.
/// @param operation  "broadcast", "reduce", "allreduce", "allgather", "reduce_scatter", "gather",
///                   "scatter" or "alltoall".
/// @param bytes      the size of the message, all blocks together.
/// Throws Error(invalid_argument) for another operation, and for more bytes than a buffer may have.
CUBOID_API Prediction predict(const Communicator& communicator, std::string_view operation,
                              std::size_t bytes);

/// Predicts a collective on a network that need not exist, with one rank on every node.
/// @param shape    as in CUBOID_TOPOLOGY, e.g. "torus:4x4@100mbit".
/// @param machine  whose parameters: one of machine_names(), or a file of measured parameters.
/// Throws as above; Error(parse) for a malformed shape or file; Error(invalid_argument) for a
/// machine that is not known, and for more nodes than can be modelled.
CUBOID_API Prediction predict(std::string_view operation, std::size_t bytes, std::string_view shape,
                              std::string_view machine);

/// The machines of the papers, whose parameters are known, e.g. "bgp" (docs/models.md).
CUBOID_API std::vector<std::string> machine_names();

}  // namespace cuboid
