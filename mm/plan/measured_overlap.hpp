#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/local_gemm.hpp>

#include "models/messages/measured.hpp"

#include <optional>

namespace cuboid::detail {

/// Measures Parameters::overlap. In turns, every rank sends a block to a rank of the next node
/// while it multiplies for about the same time, and does each of the two alone. The result is the
/// same on all ranks; nullopt on one node, and if the gemm multiplies nothing. Collective; takes a
/// second or two on slow networks.
std::optional<Measured> measured_overlap(const Communicator& communicator, const LocalGemm& gemm);

}  // namespace cuboid::detail
