#pragma once

#include <cuboid/communicator.hpp>

#include "models/messages/parameters.hpp"

#include <functional>
#include <string>

namespace cuboid::detail {

/// Measures what the models reckon with, in some seconds, on a communicator of all ranks while
/// nothing else uses the machine. Equal on all ranks. Collective.
///
/// One after the other, everybody else idle: pairs of neighbouring nodes, after each of which all
/// nodes send at once, so that no moment in which the machine is slow decides what a crowd costs; a
/// node that sends to all its neighbours at once, pairs of ranks on a node, all ranks of a node at
/// once, and a token that is passed round the ranks of each node where these share cores. α is half
/// of a short message's way there and back; a byte's time comes from streams long enough to use up
/// what buffers on the way take in at once, their beginnings subtracted; overheads from short
/// messages that are begun, and taken in, many at a time. Each number is the median of several
/// rounds: what is to be expected, not what is possible. A round of overheads or of a stream is the
/// quickest of several repetitions, and crowds between nodes count by their lower quartile, as
/// whatever else the machine does only makes them longer.
///
/// @param report  told on each rank what is measured next; may be empty.
/// Throws Error(invalid_argument) for a single rank.
Parameters calibrate(const Communicator& world,
                     const std::function<void(const std::string&)>& report = {});

/// Whether something else used the cores while messages within a node were measured: such numbers
/// are of no use.
bool cores_were_taken(const Parameters& parameters);

/// How often calibrate() will report on this communicator.
int calibration_steps(const Communicator& world);

}  // namespace cuboid::detail
