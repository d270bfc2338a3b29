#pragma once

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

}  // namespace cuboid::detail
