#pragma once

#include <cuboid/element.hpp>

#include "mm/lu/factorise_plan.hpp"
#include "tools/command/matrix_flags.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace cuboid::detail::tools {

/// The flags of `cuboid lu` as the user gave them. Empty texts and optionals were not given.
struct LuFlags : MatrixFlags {
  std::string a;
  std::string b;
  std::string output;
  std::string factors;
  std::optional<std::int64_t> m;
  std::optional<std::int64_t> n;
  std::optional<std::int64_t> rhs;
  std::string pivoting = "tournament";
  bool cholesky = false;
  bool mixed = false;
  std::string grid;
  std::optional<int> layers;
  std::optional<std::int64_t> block;
  int refine = 0;
};

/// Declares the flags on the subcommand.
void declare_flags(CLI::App& command, LuFlags& flags);

/// What is to be computed, as far as the command line says it: flags read and found consistent.
struct LuOptions {
  LuFlags flags;
  std::optional<ElementType> type;
  FactoriseOptions how;

  bool from_files() const { return !flags.a.empty(); }
  FactorisationKind kind() const {
    return flags.cholesky ? FactorisationKind::cholesky : FactorisationKind::lu;
  }
};

/// Throws Error(invalid_argument) naming the flag, its value and the remedy.
LuOptions read_flags(const LuFlags& flags);

/// What is factorised, and how many right-hand sides are solved for, with everything decided.
struct LuProblem {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t right_hand_sides = 0;  ///< 0: the matrix is only factorised
  ElementType type = ElementType::float64;
};

/// Decides on the problem, reading the headers of the input files. Throws Error(invalid_argument)
/// where shapes do not fit or the type cannot hold the input; Error(io) or Error(parse) for the
/// files.
LuProblem plan_problem(const LuOptions& options);

}  // namespace cuboid::detail::tools
