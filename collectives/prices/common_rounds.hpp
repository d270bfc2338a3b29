#pragma once

#include <cuboid/shape.hpp>

#include "collectives/prices/call.hpp"
#include "collectives/prices/estimate_rounds.hpp"
#include "models/simulator/equal_ranks.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// The links that messages cross which all ranks send at once, equally far along the axes of a
/// shape that numbers them. Along the axes of shape_of_ranks() those of a direction along an axis
/// are alike, and each crosses one axis after the other. Of any other shape, the messages of a
/// distance are counted where most meet (round_load()).
class CommonLinks {
 public:
  CommonLinks(const Call& call, const Shape& shape);

  /// A message so far upwards along every axis.
  CommonMessage message(std::span<const int> distances, double bytes) const;
  /// To the next node up (+1) or down (−1) an axis; nothing goes beyond the end of a line.
  CommonMessage to_neighbour(int axis, int direction, double bytes) const;
  /// Of the kinds of links that messages cross.
  std::span<const double> bytes_per_second() const { return rates_; }

 private:
  CommonMessage over_links(double links, std::vector<double> crossings, double bytes) const;
  double cross_axes(std::span<const int> distances, std::vector<double>& crossings) const;
  double cross_network(std::span<const int> distances, std::vector<double>& crossings) const;

  const Call& call_;
  Shape shape_;
  bool own_axes_;
  std::optional<int> slots_;  // the axis within nodes
  std::vector<double> rates_;
};

/// What all ranks do in rounds along the axes of a shape that numbers them, message by message.
class CommonRounds {
 public:
  /// @param packed  messages are packed and unpacked.
  CommonRounds(const Call& call, const Shape& shape, bool packed)
      : shape_(shape),
        links_(call, shape),
        copy_seconds_per_byte_(packed ? 2 * call.cost_model.node.beta : 0) {}

  void begin_round() { first_of_round_.push_back(messages_.size()); }

  /// A message so far upwards along every axis.
  /// @param after   messages of earlier rounds, by number.
  /// @param colour  of its content.
  void add(std::span<const int> distances, double bytes, std::vector<std::size_t> after,
           std::size_t colour = 0);

  /// The same of a message to the next node up (+1) or down (−1) an axis.
  void add_to_neighbour(int axis, int direction, double bytes, std::vector<std::size_t> after,
                        std::size_t colour);

  /// The last round first, with its messages in the same order; each is combined with what its
  /// receiver has.
  void reverse(double combine_seconds_per_byte);

  /// The same before these rounds: an all-reduce. What a rank has of a colour is sent once all of
  /// it is combined.
  void reduce_first(double combine_seconds_per_byte);

  /// @param earliest_first  see Platform.
  double seconds(bool earliest_first = false) const {
    return seconds_of_equal_ranks(messages_, links_.bytes_per_second(), earliest_first);
  }
  /// Rounds, and what a rank sends in all of them.
  RoundsSteps steps() const;

 private:
  void append(CommonMessage message, NodeIndex distance, std::vector<std::size_t> after,
              std::size_t colour);
  std::vector<std::size_t> turn(double combine_seconds_per_byte);

  Shape shape_;
  CommonLinks links_;
  double copy_seconds_per_byte_;
  std::vector<std::size_t> first_of_round_;
  double bytes_ = 0;
  std::vector<CommonMessage> messages_;
  std::vector<std::size_t> colours_;             // by message
  std::map<NodeIndex, std::size_t> peers_ = {};  // by distance
};

}  // namespace cuboid::detail
