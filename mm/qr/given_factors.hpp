#pragma once

#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/qr.hpp>

#include <span>

namespace cuboid::detail {

/// A factorisation from factors that another program has made, in the form of ?geqrf and in any
/// layout. Collective; throws as cuboid::qr().
/// @param taus  min(m, n) numbers, the same on every rank.
template <MatrixElement T>
QrFactorisation<T> qr_of_given_factors(const Matrix<T>& factors, std::span<const T> taus,
                                       const LocalKernels& kernels, const QrOptions& options = {});

}  // namespace cuboid::detail
