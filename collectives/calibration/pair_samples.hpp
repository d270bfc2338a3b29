#pragma once

#include <cuboid/communicator.hpp>

#include "collectives/calibration/probe_places.hpp"
#include "models/messages/measured.hpp"
#include "models/messages/message_fit.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

/// Measurements of calibrate() that follow one after the other. All functions are collective over
/// `world` and return the same on all ranks.

enum class Where { between_nodes, within_a_node };

/// The measurements at one place.
struct PairSamples {
  std::vector<double> one_way;        ///< seconds of short messages
  std::vector<MessageSample> single;  ///< single messages of any size
  /// Long messages of a stream: the seconds from one message to the next.
  std::vector<MessageSample> streamed;
  std::vector<double> send_overheads;  ///< seconds per short message
  std::vector<double> receive_overheads;
  std::vector<double> gaps;
  std::vector<double> caught_up;  ///< bytes that an idle link let through at once

  void add(const PairSamples& other);
};

/// Seconds per byte of a stream.
Measured beta_of(const std::vector<MessageSample>& samples);

/// The seconds from one message of a stream in flow to the next, from the time of the whole stream
/// and of its first half. If noise leaves less than one message's time for the second half, only an
/// upper limit is known: the interval of the whole stream, its start included. Pure.
/// @param messages  the number of messages of the whole stream, an even number
double interval_in_flow(double first_half_seconds, double whole_seconds, std::size_t messages);

/// Measures at a place: one rank asks, some answer, and all other ranks wait.
PairSamples samples_of(const Communicator& world, const ProbePlace& place, Where where);

/// Measures only the seconds of short messages in one direction.
std::vector<double> one_way_seconds(const Communicator& world, const ProbePlace& place);

/// The bytes per second from the asking rank to all answering ranks at once.
std::vector<double> rates_to_all(const Communicator& world, const ProbePlace& place);

/// The seconds of `work` on messages of growing size, each size several times. Runs on the calling
/// rank only.
std::vector<MessageSample> rounds_of(double (*work)(std::size_t bytes));

}  // namespace cuboid::detail
