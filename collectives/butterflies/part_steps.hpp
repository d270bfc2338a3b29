#pragma once

#include <cuboid/shape.hpp>

#include <cstddef>
#include <vector>

namespace cuboid::detail {

/// A step of a scatter and an all-gather along one axis of a shape, the same on all its lines. What
/// a class of positions has is cut into parts, of which each position keeps one; those that keep
/// the same are a class from then on. Whoever lacks a part gets it from the nearest that keeps it.
struct PartStep {
  int axis = 0;
  int parts = 2;
  std::vector<int> kept;    ///< by position
  std::vector<int> source;  ///< by position · parts + part: the nearest of its class that keeps it,
                            ///< of its own part itself; −1 if nobody does
  bool in_all_classes = true;  ///< each part is kept in each class

  int source_of(int position, int part) const {
    return source[static_cast<std::size_t>(position * parts + part)];
  }
  int kept_by(int position) const { return kept[static_cast<std::size_t>(position)]; }

  /// Calls `action(position, source)` for each part that a position lacks.
  template <class Action>
  void for_each_request(const Action& action) const {
    for (int position = 0; position < static_cast<int>(kept.size()); ++position) {
      for (int part = 0; part < parts; ++part) {
        const int there = source_of(position, part);
        if (there >= 0 && there != position) action(position, there);
      }
    }
  }
};

/// Steps of so many parts, until each position is a class of its own. Any extent will do: classes
/// that no number of parts divides differ by one position, and only the last step, of at most
/// `parts` + 1, may lack parts in some.
///
/// Two parts lie as 0 1 1 0 0 1 1 0, so that those of the same class are neighbours in the next
/// step: on rings of powers of two distances are Swing's 1, 1, 3, 5, 11 (De Sensi et al., NSDI
/// 2024). More lie as 0 1 2 0 1 2, so that each gets as much from either side.
/// @param direction  −1: the other way round, over other links.
/// @param root       position of who has all at first.
std::vector<PartStep> part_steps(const Shape& shape, int axis, int parts, int direction, int root);

}  // namespace cuboid::detail
