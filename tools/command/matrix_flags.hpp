#pragma once

#include <cuboid/element.hpp>
#include <cuboid/environment.hpp>
#include <cuboid/matrix_files.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace cuboid::detail::tools {

/// The flags that all subcommands share which compute with matrices. Empty texts and optionals were
/// not given.
struct MatrixFlags {
  std::string type;
  std::uint64_t seed = 1;
  std::optional<int> ranks;
  int threads = 1;
  std::string memory_limit;
  int repeat = 1;
  std::optional<double> timeout;
  bool explain = false;
  bool check = false;
  bool json = false;
  bool sum_duplicates = false;

  /// Each throws Error(invalid_argument) that names the flag, its value and the remedy.
  void check_values() const;
  std::optional<ElementType> element_type() const;
  std::optional<std::int64_t> memory_limit_bytes() const;

  /// How files are read.
  MatrixFileOptions reading() const { return {sum_duplicates}; }

  /// `environment` with the deadline that the user gave.
  Environment in(Environment environment) const;
};

/// What help texts call the work of a subcommand.
struct MatrixFlagTexts {
  const char* runs;     ///< what --repeat counts
  const char* memory;   ///< what --memory-limit bounds
  const char* check;    ///< what --check does
  const char* explain;  ///< what --explain prints
};

/// Declares the shared flags on the subcommand.
void declare_matrix_flags(CLI::App& command, MatrixFlags& flags, const MatrixFlagTexts& words);

}  // namespace cuboid::detail::tools
