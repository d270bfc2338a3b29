#pragma once

#include <cuboid/multiply_options.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace cuboid::detail::tools {

/// The flags of `cuboid mm` and `cuboid model mm` that tell how an algorithm multiplies. Empty
/// texts and optionals stand for flags that were not given.
struct AlgorithmFlags {
  std::string grid;
  std::optional<std::int64_t> panel;
  std::optional<std::int64_t> outer_panel;
  std::string groups;
  std::optional<int> layers;
  std::string inside;
  bool replicated_operands = false;
  std::optional<int> rounds;
  std::optional<double> idle_fraction;
  bool one_sided = false;
  bool copied_blocks = false;
  bool blocking_gets = false;
  bool blocks_by_arrival = false;
  bool one_direction = false;
  bool binary_tree = false;
};

/// Declares the flags.
void declare_algorithm_flags(CLI::App& command, AlgorithmFlags& flags);

/// The options that the flags give. Throws Error(invalid_argument), which names the flag, its value
/// and its allowed values.
MultiplyOptions options_of(const AlgorithmFlags& flags, MultiplicationAlgorithm algorithm);

/// Refuses flags that have no effect on the algorithm of the options. Otherwise the user would
/// believe that they had been accepted. Throws Error(invalid_argument).
void refuse_without_effect(const AlgorithmFlags& flags, const MultiplyOptions& how);

}  // namespace cuboid::detail::tools
