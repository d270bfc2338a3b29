#pragma once

#include <cuboid/element.hpp>
#include <cuboid/multiply.hpp>
#include <cuboid/op.hpp>

#include <complex>
#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace cuboid::detail::tools {

/// The flags of `cuboid mm` as the user gave them. Empty texts and optionals were not given.
struct MmFlags {
  std::string a;
  std::string b;
  std::string c;
  std::string output;
  std::optional<std::int64_t> m;
  std::optional<std::int64_t> n;
  std::optional<std::int64_t> k;
  std::string type;
  std::optional<int> ranks;
  int threads = 1;
  std::string algorithm = "auto";
  std::string grid;
  std::optional<std::int64_t> panel;
  std::optional<std::int64_t> outer_panel;
  std::string groups;
  std::optional<int> layers;
  std::string inside;
  std::optional<int> rounds;
  std::string memory_limit;
  bool one_sided = false;
  bool explain = false;
  bool volume_only = false;
  bool transpose_a = false;
  bool transpose_b = false;
  bool conjugate_transpose_a = false;
  bool conjugate_transpose_b = false;
  std::string alpha = "1";
  std::string beta = "0";
  int repeat = 1;
  std::uint64_t seed = 1;
  std::optional<double> timeout;
  bool check = false;
  bool json = false;
};

/// Declares the flags on the subcommand.
void declare_flags(CLI::App& command, MmFlags& flags);

/// The command line's request: flags parsed and checked for consistency.
struct MmOptions {
  MmFlags flags;
  Op op_a = Op::none;
  Op op_b = Op::none;
  std::complex<double> alpha = 1;
  std::complex<double> beta = 0;
  std::optional<ElementType> type;
  bool all_algorithms = false;  ///< compare them; `how.algorithm` is then meaningless
  MultiplyOptions how;

  bool from_files() const { return !flags.a.empty(); }
  /// Whether the input C takes part.
  bool reads_c() const { return beta != std::complex<double>(0); }
};

/// Throws Error(invalid_argument) naming the flag, its value and the remedy.
MmOptions read_flags(const MmFlags& flags);

/// The product C ← α·op(A)·op(B) + β·C: C is m×n, the inner dimension is k.
struct Product {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  ElementType type = ElementType::float64;

  ProductSize size() const { return {m, n, k}; }
};

/// The number of ranks of a given grid, over all its layers; nullopt if no grid is given. Throws
/// Error(invalid_argument) if it exceeds an int.
std::optional<int> ranks_of_grid(const MultiplyOptions& how);

/// Determines the product from the flags and the headers of the input files. Throws
/// Error(invalid_argument) if the shapes do not multiply, the grid is not for this number of ranks,
/// or the type cannot hold the input or the factors; Error(io) or Error(parse) for the files.
Product plan_product(const MmOptions& options, int ranks);

}  // namespace cuboid::detail::tools
