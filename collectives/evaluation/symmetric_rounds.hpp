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

/// The links that messages cross which all ranks send at once, equally far along the axes of a
/// shape that numbers them. Along the axes of shape_of_ranks() those of a direction along an axis
/// are alike, and each crosses one axis after the other. A distance on any other shape is one
/// between ranks' numbers: along an axis of the network some go so far, others one node further.
class CommonLinks {
 public:
  CommonLinks(const Call& call, const Shape& shape);

  /// A message so far upwards along every axis.
  CommonMessage message(std::span<const int> distances, double bytes) const;
  /// To the next node up (+1) or down (−1) an axis; nothing goes beyond the end of a line.
  CommonMessage to_neighbour(int axis, int direction, double bytes) const;
  /// What it adds to the messages over the busiest link of each kind. Returns over how many links
  /// it goes.
  double cross(std::span<const int> distances, std::span<double> crossings) const;
  /// Of these messages, over the busiest link, as many as one of the slowest rate would carry.
  double busiest(std::span<const double> crossings) const;
  /// Of the kinds of links that messages cross.
  std::span<const double> bytes_per_second() const { return rates_; }

 private:
  CommonMessage over_links(double links, std::vector<double> crossings, double bytes) const;
  double cross_axis(int axis, int up, std::span<double> crossings) const;
  double cross_network(std::span<const int> distances, std::span<double> crossings) const;

  const Call& call_;
  Shape shape_;               // whose distances messages go
  std::optional<Shape> own_;  // of all ranks, where there is one
  bool own_axes_;             // whether that is the same
  std::optional<int> slots_;  // its axis within nodes
  std::vector<double> rates_;
};

/// Whether blocks travel from and to where they lie, or messages are packed and unpacked.
enum class Packed : bool { no, yes };

/// What all ranks do in rounds along the axes of a shape that numbers them, message by message.
class SymmetricRounds {
 public:
  SymmetricRounds(const Call& call, const Shape& shape, Packed packed)
      : shape_(shape),
        links_(call, shape),
        copy_seconds_per_byte_(packed == Packed::yes ? 2 * call.cost_model.node.beta : 0) {}

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

  /// Says that all rounds take place `times` times, one after another as segments of a pipeline.
  void repeat(double times) { times_ = times; }

  /// Of very many messages not each is followed: the longest chain of them, alone on its links, and
  /// what the busiest link or rank has to do, behind that chain's latencies.
  /// @param earliest_first  see Platform.
  double seconds(bool earliest_first = false) const;

  /// Messages that a rank sends, and their bytes.
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
