#pragma once

#include <span>
#include <string_view>

namespace cuboid {

/// How matrices are multiplied.
enum class MultiplicationAlgorithm {
  automatic,  ///< the cheapest of the others, by the planner
  summa,
  hsumma,
  cannon,
  sd_cannon,
  srumma,
  two_and_a_half_d,
  carma,
  cosma,
};

/// "auto", "summa", "hsumma", "cannon", "sd-cannon", "srumma", "2.5d", "carma" or "cosma".
std::string_view to_string(MultiplicationAlgorithm algorithm);

/// Reads such a name. Throws Error(parse) listing them for anything else.
MultiplicationAlgorithm parse_multiplication_algorithm(std::string_view text);

/// Every algorithm but automatic.
std::span<const MultiplicationAlgorithm> multiplication_algorithms();

}  // namespace cuboid
