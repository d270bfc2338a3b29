#pragma once

#include <cuboid/shape.hpp>

#include <cstddef>
#include <vector>

namespace cuboid::detail {

/// A step of a scatter and of the all-gather that reverses it, along one axis of a shape and the
/// same on all its lines. At first all positions are one class: they keep the same. A step cuts
/// what a class keeps into parts, and each position keeps one part. The positions that keep the
/// same part are a class from then on. A position gets a part that it lacks from the nearest
/// position of its old class that keeps the part.
struct PartStep {
  int axis = 0;
  int parts = 2;
  std::vector<int> kept;    ///< the part that a position keeps, by position
  std::vector<int> source;  ///< The position from which a position gets a part, by position · parts
                            ///< + part: the nearest of its class that keeps it. The position itself
                            ///< for its own part; −1 if nobody keeps the part.
  bool in_all_classes = true;  ///< every part is kept by some position of every class

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

/// The steps of `parts` parts each, until every position is a class of its own. Any extent is
/// possible: the classes of one step differ by at most one position. The last step may have up to
/// `parts` + 1 parts, and only there some classes may lack a part.
///
/// Two parts lie as 0 1 1 0 0 1 1 0 along the class, so that positions of a class are neighbours in
/// the next step. On rings of powers of two the distances are Swing's 1, 1, 3, 5, 11 (De Sensi et
/// al., NSDI 2024). More parts lie as 0 1 2 0 1 2, so that a position gets as much from either
/// side.
/// @param direction  −1: the mirror image, which uses other links.
/// @param root       position of the node that has everything at first.
std::vector<PartStep> part_steps(const Shape& shape, int axis, int parts, int direction, int root);

}  // namespace cuboid::detail
