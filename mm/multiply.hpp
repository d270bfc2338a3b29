#pragma once

#include <cuboid/mm/local_gemm.hpp>
#include <cuboid/mm/matrix.hpp>
#include <cuboid/mm/operand.hpp>
#include <cuboid/mm/summa.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace cuboid {

struct MultiplyOptions {
  /// The process grid to multiply on. Unset: C's own, so that C need not move, unless that leaves
  /// more than a tenth of the ranks idle, or else choose_grid()'s.
  std::optional<GridShape> grid = std::nullopt;
  /// SUMMA's panel width, >= 1. Unset: default_panel_width.
  std::optional<std::int64_t> panel_width = std::nullopt;
};

/// What a multiplication did.
struct Report {
  std::string algorithm;  ///< "summa"; "scale" where α = 0 or k = 0 left nothing to multiply
  GridShape grid;
  std::int64_t panel_width = 0;  ///< the widest panel allowed
  PhaseSeconds seconds;          ///< of this rank
};

/// "summa on a 2x3 grid, panels of 256: distribute 0.010 s, broadcast 0.120 s, gemm 1.500 s".
std::string to_string(const Report& report);

/// C ← α·op(A)·op(B) + β·C for matrices in any layouts, C's layout staying as it is. Collective
/// over their communicator. As in BLAS: β = 0 does not read C, α = 0 or k = 0 does not read A or B.
///
///   multiply(1.0, A, transpose(B), 0.0, C, gemm);
///
/// Working memory per rank: summa()'s; where C is not on the grid that multiplies, its share of C
/// in blocks on that grid as well. Throws Error(invalid_argument), on every rank and before
/// anything is done, where shapes do not multiply, C is A or B, communicators differ, the grid has
/// more ranks than there are, or the panel width is less than 1; Error(out_of_memory) on every rank
/// when one has no room; what communication throws.
template <MatrixElement T>
Report multiply(std::type_identity_t<T> alpha, std::type_identity_t<Operand<T>> A,
                std::type_identity_t<Operand<T>> B, std::type_identity_t<T> beta, Matrix<T>& C,
                const LocalGemm& gemm, const MultiplyOptions& options = {});

}  // namespace cuboid
