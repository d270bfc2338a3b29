#pragma once

#include <cuboid/mixed_precision.hpp>

#include <optional>

namespace cuboid::detail {

/// solve_mixed(), but for the solve where single precision is of no use: returns nullopt if B is
/// solved, else A's factors in double precision, with B as it was.
template <DoublePrecision T>
std::optional<LuFactorisation<T>> solve_by_single_precision(const Matrix<T>& A, Matrix<T>& B,
                                                            const LocalKernels& kernels,
                                                            const MixedPrecisionOptions& options,
                                                            MixedPrecisionOutcome& outcome);

}  // namespace cuboid::detail
