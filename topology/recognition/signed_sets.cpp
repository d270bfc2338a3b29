#include "topology/recognition/signed_sets.hpp"

#include <numeric>
#include <utility>

namespace cuboid::detail::recognition {

SignedSets::SignedSets(int members)
    : parent_(static_cast<std::size_t>(members)),
      sign_(static_cast<std::size_t>(members), +1),
      size_(static_cast<std::size_t>(members), 1) {
  std::iota(parent_.begin(), parent_.end(), 0);
}

SignedSets::Membership SignedSets::find(int member) {
  const auto at = [](std::vector<int>& values, int i) -> int& {
    return values[static_cast<std::size_t>(i)];
  };
  int root = member;
  int sign = +1;
  while (at(parent_, root) != root) {
    sign *= at(sign_, root);
    root = at(parent_, root);
  }
  // Path compression: all members on the path become children of the root.
  int remaining = sign;
  while (at(parent_, member) != root && member != root) {
    const int next = at(parent_, member);
    const int step = at(sign_, member);
    at(parent_, member) = root;
    at(sign_, member) = remaining;
    remaining *= step;
    member = next;
  }
  return {root, sign};
}

bool SignedSets::unite(int one, int other, int sign) {
  auto [root, root_sign] = find(one);
  auto [other_root, other_sign] = find(other);
  const int between = root_sign * other_sign * sign;
  if (root == other_root) return between == +1;
  if (size(root) < size(other_root)) std::swap(root, other_root);
  parent_[static_cast<std::size_t>(other_root)] = root;
  sign_[static_cast<std::size_t>(other_root)] = between;
  size_[static_cast<std::size_t>(root)] += size(other_root);
  return true;
}

}  // namespace cuboid::detail::recognition
