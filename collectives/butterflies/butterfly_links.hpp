#pragma once

#include "collectives/butterflies/butterfly.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

/// Counts the messages over each link of a line or ring, separately for both directions.
class LinkLoads {
 public:
  LinkLoads(int extent, bool wraps);

  /// Adds a message between two positions. On a ring it takes the shorter way.
  void add(int from, int to);
  /// The number of messages over the busiest link, in its busier direction.
  int most() const;

 private:
  int most_of(const std::vector<int>& change) const;

  int extent_;
  bool wraps_;
  std::vector<int> up_;  // the change of the number of messages from one link to the next
  std::vector<int> down_;
};

/// The number of messages that the busiest link carries in a step. The butterflies `ways` have the
/// same steps in different directions.
int busiest_link(const Shape& shape, std::span<const Butterfly> ways, std::size_t step);

/// The number of links that the farthest message of a step crosses.
int farthest_links(const Shape& shape, const Butterfly& butterfly, std::size_t step);

}  // namespace cuboid::detail
