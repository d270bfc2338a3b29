#pragma once

#include "tools/command/matrix_flags.hpp"
#include "tools/mm/algorithm_flags.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace cuboid::detail::tools {

/// The flags of `cuboid mm` as the user gave them. Empty texts and optionals stand for flags that
/// were not given.
struct MmFlags : MatrixFlags, AlgorithmFlags {
  std::string a;
  std::string b;
  std::string c;
  std::string output;
  std::optional<std::int64_t> m;
  std::optional<std::int64_t> n;
  std::optional<std::int64_t> k;
  std::string algorithm = "auto";
  std::string device;  ///< empty: the value of CUBOID_DEVICE
  std::string memory = "host";
  std::string precision;  ///< empty: the type's
  bool volume_only = false;
  bool split = false;
  bool transpose_a = false;
  bool transpose_b = false;
  bool conjugate_transpose_a = false;
  bool conjugate_transpose_b = false;
  std::string alpha = "1";
  std::string beta = "0";
};

/// Declares the flags on the subcommand.
void declare_flags(CLI::App& command, MmFlags& flags);

}  // namespace cuboid::detail::tools
