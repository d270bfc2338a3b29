#include "collectives/butterflies/ring_arcs.hpp"

namespace cuboid::detail {

std::vector<RingArc> ring_arcs(int extent, int count) {
  std::vector<RingArc> arcs;
  int first = 0;
  for (int arc = 0; arc < count; ++arc) {
    const int length = extent / count + (arc < extent % count ? 1 : 0);
    const int down = (length - 1) / 2;
    if (arc == 0) first = -down;
    arcs.push_back({first + down, down, length / 2});
    first += length;
  }
  return arcs;
}

}  // namespace cuboid::detail
