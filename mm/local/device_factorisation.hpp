#pragma once

#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>

#include <cstdint>
#include <span>

namespace cuboid::detail {

/// Factorisations by cuSOLVER of a matrix that one rank has as a whole, or of a panel, in place, in
/// the host's memory. Both functions return false, and leave the matrix as it is, if the cores are
/// predicted to be as fast, if there is no device, no cuSOLVER or too little memory, or if the
/// factorisation breaks down; then the caller's own algorithm runs, and tells where. Both throw
/// Error(io) if the device fails.

/// P·A = L·U with partial pivoting.
/// @param pivots  written: min(m, n) numbers, counted from 0; row k was swapped with row pivots[k].
template <MatrixElement T>
bool lu_on_device(const LocalGemm& gemm, LocalView<T> A, std::span<std::int64_t> pivots);

/// A = L·Lᴴ of the lower triangle. Lᴴ replaces the upper.
template <MatrixElement T>
bool cholesky_on_device(const LocalGemm& gemm, LocalView<T> A);

}  // namespace cuboid::detail
