#pragma once

#include <vector>

namespace cuboid::detail::recognition {

/// Disjoint sets whose members point the same way as their set (+1) or against it (-1).
class SignedSets {
 public:
  explicit SignedSets(int members);

  struct Membership {
    int root = 0;   ///< the member that stands for the set
    int sign = +1;  ///< which way the member points, compared with the root
  };
  Membership find(int member);

  /// Puts two members into one set, pointing the same way (sign +1) or opposite ways (-1). False,
  /// and nothing changed, where they are in one set already and point otherwise. The larger set's
  /// root stays.
  bool unite(int one, int other, int sign);

  /// How many members a root stands for.
  int size(int root) const { return size_[static_cast<std::size_t>(root)]; }

 private:
  std::vector<int> parent_;
  std::vector<int> sign_;  ///< compared with the parent
  std::vector<int> size_;
};

}  // namespace cuboid::detail::recognition
