#pragma once

#include <vector>

namespace cuboid::detail {

/// Messages over each link of a line, up and down.
class LinkLoads {
 public:
  LinkLoads(int extent, bool wraps);

  /// A message between two positions, along fewer links.
  void add(int from, int to);
  /// Over the busiest link in one direction.
  int most() const;

 private:
  int most_of(const std::vector<int>& change) const;

  int extent_;
  bool wraps_;
  std::vector<int> up_;  // changes from link to link
  std::vector<int> down_;
};

}  // namespace cuboid::detail
