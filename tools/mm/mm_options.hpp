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

/// What is to be computed, as far as the command line says it: flags read and found consistent.
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
  /// Whether what is in C before takes part.
  bool reads_c() const { return beta != std::complex<double>(0); }
};

/// Throws Error(invalid_argument) naming the flag, its value and the remedy.
MmOptions read_flags(const MmFlags& flags);

/// A product C ← α·op(A)·op(B) + β·C with everything decided: C is m×n, the inner size is k.
struct Product {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  ElementType type = ElementType::float64;

  ProductSize size() const { return {m, n, k}; }
};

/// The ranks of the grid that is given, of all its layers; nullopt where none is. Throws
/// Error(invalid_argument) where no int holds them.
std::optional<int> ranks_of_grid(const MultiplyOptions& how);

/// Decides on the product, reading the headers of the input files. Throws Error(invalid_argument)
/// where shapes do not multiply, the grid is not for this many ranks, or the type cannot hold the
/// input or the factors; Error(io) or Error(parse) for the files.
Product plan_product(const MmOptions& options, int ranks);

}  // namespace cuboid::detail::tools
