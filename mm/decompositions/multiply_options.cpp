#include <cuboid/error.hpp>
#include <cuboid/multiply_options.hpp>

#include <array>
#include <string>

#include <fmt/format.h>

namespace cuboid {

namespace {

using enum MultiplicationAlgorithm;

constexpr std::array all{summa, hsumma, cannon, sd_cannon, srumma, two_and_a_half_d, carma, cosma};

}  // namespace

std::string_view to_string(MultiplicationAlgorithm algorithm) {
  switch (algorithm) {
    case automatic: return "auto";
    case summa: return "summa";
    case hsumma: return "hsumma";
    case cannon: return "cannon";
    case sd_cannon: return "sd-cannon";
    case srumma: return "srumma";
    case two_and_a_half_d: return "2.5d";
    case carma: return "carma";
    case cosma: break;
  }
  return "cosma";
}

std::span<const MultiplicationAlgorithm> multiplication_algorithms() {
  return all;
}

MultiplicationAlgorithm parse_multiplication_algorithm(std::string_view text) {
  if (text == to_string(automatic)) return automatic;
  std::string names(to_string(automatic));
  for (const MultiplicationAlgorithm algorithm : all) {
    if (text == to_string(algorithm)) return algorithm;
    names += fmt::format(", {}", to_string(algorithm));
  }
  throw Error(ErrorCode::parse, fmt::format("algorithm '{}': give one of {}", text, names));
}

std::string to_string(const GroupShape& groups) {
  return fmt::format("{}x{}", groups.rows, groups.columns);
}

std::vector<GroupShape> group_shapes(const GridShape& grid) {
  std::vector<GroupShape> shapes;
  for (int rows = 1; rows <= grid.rows(); ++rows) {
    for (int columns = 1; columns <= grid.columns(); ++columns) {
      const GroupShape groups{rows, columns};
      if (groups.divides(grid)) shapes.push_back(groups);
    }
  }
  return shapes;
}

}  // namespace cuboid
