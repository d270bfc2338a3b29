// Time of recognise() for networks of growing size in random order, complete and with dead cables.
// Prints a table: shape, nodes, cut cables, seconds, recognised shape.

#include <cuboid/network.hpp>
#include <cuboid/recognition.hpp>
#include <cuboid/shape.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace {

/// The shape's network with its nodes and cables in random order, without `cut` random cables.
cuboid::Network scrambled(const cuboid::Shape& shape, int cut) {
  std::mt19937 random(1);
  const cuboid::Network network = cuboid::Network::of_shape(shape);
  std::vector<int> number(static_cast<std::size_t>(network.nodes()));
  for (std::size_t i = 0; i < number.size(); ++i) number[i] = static_cast<int>(i);
  std::shuffle(number.begin(), number.end(), random);
  std::vector<int> cables(static_cast<std::size_t>(network.cables()));
  for (std::size_t i = 0; i < cables.size(); ++i) cables[i] = static_cast<int>(i);
  std::shuffle(cables.begin(), cables.end(), random);

  cuboid::Network result;
  for (int node = 0; node < network.nodes(); ++node) result.add_node("n" + std::to_string(node));
  for (auto cable = cables.begin() + cut; cable != cables.end(); ++cable) {
    const cuboid::Link& link = network.links()[2 * static_cast<std::size_t>(*cable)];
    result.add_cable(number[static_cast<std::size_t>(link.from)],
                     number[static_cast<std::size_t>(link.to)]);
  }
  return result;
}

}  // namespace

int main() {
  std::printf("%-24s %8s %6s %9s  %s\n", "shape", "nodes", "cut", "seconds", "found");
  for (const char* spec : {"torus:10x10x10", "torus:22x22x22", "torus:47x46x46", "mesh:47x46x46",
                           "torus:100x40,mesh:25", "torus:316x316", "ring:100000",
                           "torus:10x10x10x10x10", "hypercube:8"}) {
    for (const int cut : {0, 1, 50}) {
      const cuboid::Shape shape = cuboid::parse_shape(spec).shape;
      if (cut * 20 > shape.cables()) continue;
      const cuboid::Network network = scrambled(shape, cut);
      const auto begin = std::chrono::steady_clock::now();
      const cuboid::Recognition found = cuboid::recognise(network);
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
      std::printf("%-24s %8d %6d %9.3f  %s\n", spec, network.nodes(), cut, seconds.count(),
                  found.explanation().c_str());
      std::fflush(stdout);
    }
  }
}
