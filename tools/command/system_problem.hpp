#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/element.hpp>

#include "tools/command/matrix_flags.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace cuboid::detail::tools {

/// The flags of a matrix A and right-hand sides B, from files or random. Empty texts and optionals
/// were not given.
struct SystemFlags : MatrixFlags {
  std::string a;
  std::string b;
  std::optional<std::int64_t> m;
  std::optional<std::int64_t> n;
  std::optional<std::int64_t> rhs;
};

/// What is factorised, and how many right-hand sides are solved for, with everything decided.
struct SystemProblem {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t right_hand_sides = 0;  ///< 0: the matrix is only factorised
  ElementType type = ElementType::float64;
};

/// Throws Error(invalid_argument) where flags of files and of random input stand together, or sizes
/// are negative.
/// @param nothing_given  what to say, with the remedy, where there is neither.
/// @param least_sides  the least number that --rhs may be.
void check_system_flags(const SystemFlags& flags, const std::string& nothing_given,
                        std::int64_t least_sides);

/// Decides on the problem, reading the headers of the input files. Throws Error(invalid_argument)
/// where shapes do not fit or the type cannot hold the input; Error(io) or Error(parse) for the
/// files.
/// @param sides  right-hand sides of a random problem for which --rhs is not given.
SystemProblem plan_system(const SystemFlags& flags, std::optional<ElementType> type,
                          std::int64_t sides);

/// Throws Error(out_of_memory) with the remedy on every rank where a node has no room. Collective.
/// @param workers  ranks that share the matrix.
/// @param planned  bytes that each of them needs besides.
void require_memory_for(const SystemProblem& problem, int workers, std::int64_t planned,
                        const Communicator& communicator, const char* remedy);

/// The table's line about the problem.
std::string problem_line(const SystemProblem& problem);

}  // namespace cuboid::detail::tools
