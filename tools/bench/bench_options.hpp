#pragma once

#include <cuboid/buffer.hpp>

#include "collectives/types/collective.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace cuboid::detail::tools {

/// The flags of `cuboid bench` as the user gave them.
struct BenchFlags {
  std::string operation;
  std::string sizes;
  std::string type = "float64";
  std::string algorithm = "auto";
  std::string against;
  std::string output;
  std::optional<int> iterations;
  int warmup = 2;
  int root = 0;
  std::optional<int> lines;
  std::optional<int> ranks;
  bool in_place = false;
  bool validate = false;
  bool calibrate = false;
  bool json = false;
};

/// The options of a measurement.
struct BenchOptions {
  Operation operation = Operation::barrier;
  std::vector<std::size_t> bytes;  ///< of the messages, ascending
  Datatype type = Datatype::Kind::float64;
  /// By name; "": the one that Cuboid chooses.
  std::vector<std::string> algorithms;
  bool all_algorithms = false;    ///< those that cannot serve the call are left out
  std::optional<int> iterations;  ///< nullopt: as many as fit in a second
  int warmup = 2;
  int root = 0;
  std::optional<int> lines;  ///< the axis whose lines run the operation, all at once
  std::optional<int> ranks;
  bool in_place = false;
  bool validate = false;
  bool against_mpi = false;
  bool json = false;
};

/// Declares the flags.
void declare_flags(CLI::App& command, BenchFlags& flags);

/// Throws Error(invalid_argument) naming the flag, its value and what it can be. Pure, but for
/// --against mpi, which needs a launcher.
BenchOptions read_flags(const BenchFlags& flags);

/// The operation with a name. Throws Error(invalid_argument) that names those there are.
Operation operation_from(const std::string& name);

/// "8:64K" is 8, 16, …, 64 KiB; "16M" is one size; "1K:" goes up to the greatest that is measured
/// by default. Ascending; throws Error(invalid_argument) naming --size.
std::vector<std::size_t> parse_sizes(const std::string& text);

}  // namespace cuboid::detail::tools
