#pragma once

#include <vector>

namespace cuboid::detail::recognition {

/// Disjoint sets. Each member has the same direction as its set (+1) or the opposite direction
/// (-1).
class SignedSets {
 public:
  explicit SignedSets(int members);

  struct Membership {
    int root = 0;   ///< the member that stands for the set
    int sign = +1;  ///< the direction of the member compared with the root
  };
  Membership find(int member);

  /// Joins the sets of two members, so that the two have the same direction (sign +1) or opposite
  /// directions (-1). Returns false and changes nothing if both are in one set already with other
  /// directions. The root of the larger set remains the root.
  bool unite(int one, int other, int sign);

  /// The number of members of the set that has this root.
  int size(int root) const { return size_[static_cast<std::size_t>(root)]; }

 private:
  std::vector<int> parent_;
  std::vector<int> sign_;  ///< the direction of each member compared with its parent
  std::vector<int> size_;
};

}  // namespace cuboid::detail::recognition
