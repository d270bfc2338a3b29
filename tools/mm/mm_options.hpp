#pragma once

#include <cuboid/element.hpp>
#include <cuboid/environment.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/multiply.hpp>

#include "tools/mm/mm_flags.hpp"

#include <complex>
#include <cstdint>
#include <optional>

namespace cuboid::detail::tools {

/// The command line's request: flags parsed and checked for consistency.
struct MmOptions {
  MmFlags flags;
  Op op_a = Op::none;
  Op op_b = Op::none;
  std::complex<double> alpha = 1;
  std::complex<double> beta = 0;
  std::optional<ElementType> type;
  bool all_algorithms = false;  ///< all are compared; `how.algorithm` is then meaningless
  MultiplyOptions how;
  std::optional<DeviceUse> device;
  FactorPrecision precision = FactorPrecision::single;

  bool from_files() const { return !flags.a.empty(); }
  /// True if the product reads the input C.
  bool reads_c() const { return beta != std::complex<double>(0); }
};

/// Throws Error(invalid_argument), which names the flag, its value and the remedy.
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
