#pragma once

#include <cuboid/shape.hpp>

#include "collectives/evaluation/call.hpp"
#include "models/simulator/equal_ranks.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// The links that messages cross when all ranks send at once, each equally far along the axes of a
/// shape that numbers the ranks. Along the axes of shape_of_ranks() all links of one direction of
/// an axis carry the same, and a message crosses one axis after the other. On any other shape a
/// distance is a difference of rank numbers: along an axis of the network some messages go a node
/// further than others.
class CommonLinks {
 public:
  CommonLinks(const Call& call, const Shape& shape);

  /// A message that goes up by `distances` along the axes.
  CommonMessage message(std::span<const int> distances, double bytes) const;
  /// A message to the next node up (+1) or down (−1) an axis. Nothing goes beyond the end of a
  /// line.
  CommonMessage to_neighbour(int axis, int direction, double bytes) const;
  /// Adds a message of this distance to `crossings`, the messages over the busiest link of each
  /// kind (an axis and direction). Returns the number of links that it crosses.
  double cross(std::span<const int> distances, std::span<double> crossings) const;
  /// Adds a message to each other rank. Returns the number of links that the farthest crosses.
  double cross_to_all(std::span<double> crossings) const;
  /// The messages over the busiest link, scaled to the slowest rate: a link that is twice as fast
  /// counts half.
  double busiest(std::span<const double> crossings) const;
  /// The rates of the kinds of links that messages cross.
  std::span<const double> bytes_per_second() const { return rates_; }

 private:
  CommonMessage over_links(double links, std::vector<double> crossings, double bytes) const;
  double cross_axis(int axis, int up, double of_a_node, std::span<double> crossings) const;
  double cross_network(std::span<const int> distances, std::span<double> crossings) const;

  const Call& call_;
  Shape shape_;               // the shape in whose distances messages go
  std::optional<Shape> own_;  // shape_of_ranks(), if there is one
  bool own_axes_;             // true if both shapes are the same
  std::optional<int> slots_;  // the axis of `own_` that lies within nodes
  std::vector<double> rates_;
};

/// Whether blocks travel from and to where they lie, or messages are packed and unpacked.
enum class Packed : bool { no, yes };

/// Rounds in which all ranks do the same along the axes of a shape that numbers them, message by
/// message. One rank's messages stand for all.
class SymmetricRounds {
 public:
  SymmetricRounds(const Call& call, const Shape& shape, Packed packed)
      : shape_(shape),
        links_(call, shape),
        copy_seconds_per_byte_(packed == Packed::yes ? 2 * call.cost_model.node.beta : 0) {}

  void begin_round() { first_of_round_.push_back(messages_.size()); }

  /// Adds a message that goes up by `distances` along the axes.
  /// @param after   the numbers of the messages of earlier rounds that must have arrived.
  /// @param colour  the colour of its content.
  void add(std::span<const int> distances, double bytes, std::vector<std::size_t> after,
           std::size_t colour = 0);

  /// Adds a message to the next node up (+1) or down (−1) an axis.
  void add_to_neighbour(int axis, int direction, double bytes, std::vector<std::size_t> after,
                        std::size_t colour);

  /// Reverses the rounds; messages of a round keep their order. Each message is combined with what
  /// its receiver has.
  void reverse(double combine_seconds_per_byte);

  /// Puts the reversed rounds before these rounds: an all-reduce. What a rank has of a colour is
  /// sent once all of it is combined.
  void reduce_first(double combine_seconds_per_byte);

  /// All rounds take place `times` times, one after another, as segments of a pipeline.
  void repeat(double times) { times_ = times; }

  /// Predicted seconds of all rounds. If there are very many messages, they are not followed one by
  /// one: the time is that of the longest chain of messages, alone on its links, and of what the
  /// busiest link or rank has to do behind that chain's latencies.
  double seconds(bool earliest_first = false) const;

  /// The messages that a rank sends, and their bytes.
  double messages() const { return times_ * static_cast<double>(messages_.size()); }
  double bytes() const { return times_ * bytes_; }

 private:
  void append(CommonMessage message, NodeIndex distance, std::vector<std::size_t> after,
              std::size_t colour);
  std::vector<std::size_t> turn(double combine_seconds_per_byte);
  double busiest() const;
  double longest_chain(bool with_bytes) const;

  Shape shape_;
  CommonLinks links_;
  double copy_seconds_per_byte_;
  std::vector<std::size_t> first_of_round_;
  double bytes_ = 0;
  double times_ = 1;
  std::vector<CommonMessage> messages_;
  std::vector<std::size_t> colours_;             // by message
  std::map<NodeIndex, std::size_t> peers_ = {};  // by distance
};

}  // namespace cuboid::detail
