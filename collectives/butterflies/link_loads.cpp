#include "collectives/butterflies/link_loads.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace cuboid::detail {

LinkLoads::LinkLoads(int extent, bool wraps)
    : extent_(extent),
      wraps_(wraps),
      up_(static_cast<std::size_t>(2 * extent) + 1, 0),
      down_(up_) {}

void LinkLoads::add(int from, int to) {
  int distance = to - from;
  if (wraps_ && 2 * distance > extent_) distance -= extent_;
  if (wraps_ && 2 * distance < -extent_) distance += extent_;
  // Halfway round a ring even positions go up and odd ones down, as with HalfWay::in_turn.
  if (wraps_ && 2 * std::abs(distance) == extent_)
    distance = from % 2 == 0 ? std::abs(distance) : -std::abs(distance);
  // Link i is above position i. Links of a ring are counted on beyond its end and added up in
  // most_of().
  const int first = distance > 0 ? from : from + distance;
  const int start = first < 0 ? first + extent_ : first;
  auto& change = distance > 0 ? up_ : down_;
  ++change[static_cast<std::size_t>(start)];
  --change[static_cast<std::size_t>(start + std::abs(distance))];
}

int LinkLoads::most() const {
  return std::max(most_of(up_), most_of(down_));
}

int LinkLoads::most_of(const std::vector<int>& change) const {
  std::vector<int> loads(static_cast<std::size_t>(extent_), 0);
  int load = 0;
  for (std::size_t link = 0; link < change.size(); ++link) {
    load += change[link];
    loads[link % loads.size()] += load;
  }
  return std::ranges::max(loads);
}

}  // namespace cuboid::detail
