#pragma once

#include <cuboid/mm/local_gemm.hpp>
#include <cuboid/mm/matrix.hpp>
#include <cuboid/mm/multiplication.hpp>
#include <cuboid/mm/op.hpp>
#include <cuboid/mm/process_grid.hpp>

#include <cstdint>

namespace cuboid {

/// The panel width that summa() uses when it is not told one: the local gemm runs as fast as with
/// wider panels (measured with BLIS on AVX-512), while buffers and the first broadcast, which
/// nothing hides, stay small.
inline constexpr std::int64_t default_panel_width = 256;

/// C ← α·op(A)·op(B) + β·C by SUMMA (van de Geijn, Watts: "SUMMA: scalable universal matrix
/// multiplication algorithm", 1997). In each step every process row gets a panel of op(A) by
/// broadcast from its owner, every process column a panel of op(B), and every rank adds the panels'
/// product to its part of C. The next step's broadcasts run under the product: the gemm is cut into
/// slabs of C, between which messages make progress.
///
/// Collective over `grid`'s communicator, ranks outside the grid included, which only give what
/// they have of A and B. op(A) is m×k, op(B) k×n, C m×n with C's layout on `grid`; A and B in any
/// layout over the same communicator. Where a layout fits (the rows of op(A) are dealt out as C's
/// rows, the columns of op(B) as C's columns, on the same grid) panels are sent from where they
/// lie; otherwise each panel is redistributed first. As in BLAS: β = 0 does not read C, α = 0 or k
/// = 0 does not read A or B.
///
/// Working memory per rank: two panels of op(A) and of op(B) (local rows resp. columns of C ×
/// panel_width each), none for an operand whose line of the grid is a single rank; where a panel is
/// redistributed, its messages as well.
/// @param panel_width  >= 1; panels end with blocks where those are long enough (see cut_panels).
/// Throws Error(invalid_argument) for C not on the grid, Error(out_of_memory) on all ranks when one
/// has no room, and what communication throws. Shapes are multiply()'s to check.
template <MatrixElement T>
PhaseSeconds summa(T alpha, Op op_a, const Matrix<T>& A, Op op_b, const Matrix<T>& B, T beta,
                   Matrix<T>& C, const ProcessGrid& grid, const LocalGemm& gemm,
                   std::int64_t panel_width = default_panel_width);

}  // namespace cuboid
