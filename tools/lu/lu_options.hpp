#pragma once

#include <cuboid/element.hpp>

#include "mm/lu/factorise_plan.hpp"
#include "tools/command/system_problem.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace cuboid::detail::tools {

/// The flags of `cuboid lu` and `cuboid cholesky` as the user gave them. Empty texts and optionals
/// were not given.
struct LuFlags : SystemFlags {
  std::string command = "lu";
  std::string output;
  std::string factors;
  std::string pivoting = "tournament";
  bool cholesky = false;
  bool mixed = false;
  std::string grid;
  std::optional<int> layers;
  std::optional<std::int64_t> block;
  int refine = 0;
};

/// Declares the flags on the subcommand. `cholesky` lacks the flags that choose among LU's methods.
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

/// Decides on the problem, reading the headers of the input files. Throws Error(invalid_argument)
/// where shapes do not fit or the type cannot hold the input; Error(io) or Error(parse) for the
/// files.
SystemProblem plan_problem(const LuOptions& options);

}  // namespace cuboid::detail::tools
