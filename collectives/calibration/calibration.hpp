#pragma once

#include <cuboid/communicator.hpp>

#include "models/messages/parameters.hpp"

#include <functional>
#include <string>

namespace cuboid::detail {

/// Measures the parameters of the models in some seconds, on a communicator of all ranks, while
/// nothing else uses the machine. The result is equal on all ranks. Collective.
///
/// The measurements, one after the other, while all other ranks are idle:
/// - pairs of neighbouring nodes; after each pair all nodes send at once, so that no single slow
///   moment of the machine decides the cost of contention;
/// - one node to all its neighbours at once;
/// - pairs of ranks on a node, and all ranks of a node at once;
/// - a token passed around the ranks of each node, if these share cores.
///
/// α is half the round trip of a short message. The time per byte comes from the second half of
/// streams; their first half fills all buffers on the way. Overheads come from bursts of short
/// messages. Each number is the median of several rounds, i.e. the expected value and not the best.
/// Disturbances only make measurements longer. So a round of overheads or of a stream is the
/// fastest of several repetitions, and contention between nodes counts by its lower quartile.
///
/// @param report  called on each rank with a description of the next measurement; may be empty.
/// Throws Error(invalid_argument) for a single rank.
Parameters calibrate(const Communicator& world,
                     const std::function<void(const std::string&)>& report = {});

/// True if other programs used the cores while messages within a node were measured. Then the
/// numbers are unusable.
bool cores_were_taken(const Parameters& parameters);

/// The number of reports that calibrate() will make on this communicator.
int calibration_steps(const Communicator& world);

}  // namespace cuboid::detail
