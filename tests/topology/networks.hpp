#pragma once

#include <cuboid/network.hpp>
#include <cuboid/shape.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace cuboid::detail {

/// What to leave out of a network.
struct Cut {
  std::set<int> cables;
  std::set<int> nodes;
};

/// The network with its nodes and cables in random order and the ends of cables swapped at random,
/// less what is cut.
inline Network scrambled(const Network& network, unsigned seed, const Cut& cut = {}) {
  std::mt19937 random(seed);
  std::vector<int> nodes(static_cast<std::size_t>(network.nodes()));
  std::iota(nodes.begin(), nodes.end(), 0);
  std::ranges::shuffle(nodes, random);
  std::vector<int> cables(static_cast<std::size_t>(network.cables()));
  std::iota(cables.begin(), cables.end(), 0);
  std::ranges::shuffle(cables, random);

  Network result;
  std::vector<int> number(nodes.size(), -1);
  for (const int node : nodes) {
    if (cut.nodes.contains(node)) continue;
    number[static_cast<std::size_t>(node)] =
        result.add_node("n" + std::to_string(result.nodes()), network.role(node));
  }
  for (const int cable : cables) {
    const Link& link = network.links()[2 * static_cast<std::size_t>(cable)];
    const int a = number[static_cast<std::size_t>(link.from)];
    const int b = number[static_cast<std::size_t>(link.to)];
    if (cut.cables.contains(cable) || a < 0 || b < 0) continue;
    const bool swap = random() % 2 == 0;
    result.add_cable(swap ? b : a, swap ? a : b, link.bytes_per_second);
  }
  return result;
}

/// Axes sorted: wrapping axes first, then large extents.
inline std::vector<Axis> sorted_axes(std::vector<Axis> axes) {
  std::ranges::sort(axes, std::ranges::greater(),
                    [](const Axis& axis) { return std::pair(axis.wraps, axis.extent); });
  return axes;
}

/// The axes in the form recognise() gives, sorted: none of extent 1, pairs of mesh axes of extent 2
/// as a torus axis of extent 4.
inline std::vector<Axis> canonical(const Shape& shape) {
  std::vector<Axis> axes;
  int binary = 0;
  for (const Axis& axis : shape.axes()) {
    if (axis == Axis{2, false}) {
      ++binary;
    } else if (axis.extent > 1) {
      axes.push_back(axis);
    }
  }
  axes.insert(axes.end(), static_cast<std::size_t>(binary / 2), Axis{4, true});
  if (binary % 2 != 0) axes.push_back({2, false});
  return sorted_axes(std::move(axes));
}

}  // namespace cuboid::detail
