#pragma once

#include <cuboid/export.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/op.hpp>

#include <cstdint>
#include <type_traits>

namespace cuboid {

/// The maximum number of bytes that a redistribution sends, and that it receives, at once on each
/// rank. Its working memory is twice that, or twice the rank's own part if that is less.
inline constexpr std::int64_t default_exchange_bytes = std::int64_t{32} << 20;

/// B ← α·op(A) + β·B, for any layouts of A and B, which may be views. Collective over their common
/// communicator, on which either may lie on any of its ranks (GridShape); the others take part
/// cheaply. Elements that stay on a rank are copied directly; with equal layouts and no op nothing
/// is sent. As in BLAS, β = 0 does not read B, and α = 0 does not read A.
///
///   redistribute(1.0, transpose(A), 0.0, B);
///
/// @param exchange_bytes  maximum bytes sent, and received, at once; at least one element.
/// Throws Error(invalid_argument) if the shapes do not match, the communicators differ, or A and B
/// share memory; Error(out_of_memory).
template <MatrixElement T>
CUBOID_API void redistribute(std::type_identity_t<T> alpha, std::type_identity_t<Operand<T>> A,
                             std::type_identity_t<T> beta, Matrix<T>& B,
                             std::int64_t exchange_bytes = default_exchange_bytes);
template <MatrixElement T>
void redistribute(std::type_identity_t<T> alpha, std::type_identity_t<Operand<T>> A,
                  std::type_identity_t<T> beta, MatrixView<T>&& B,
                  std::int64_t exchange_bytes = default_exchange_bytes) {
  redistribute<T>(alpha, A, beta, static_cast<Matrix<T>&>(B), exchange_bytes);
}

/// destination ← op(source). As above.
template <MatrixElement T>
CUBOID_API void redistribute(Op op, const Matrix<T>& source, Matrix<T>& destination,
                             std::int64_t exchange_bytes = default_exchange_bytes);
template <MatrixElement T>
void redistribute(Op op, const Matrix<T>& source, MatrixView<T>&& destination,
                  std::int64_t exchange_bytes = default_exchange_bytes) {
  redistribute<T>(op, source, static_cast<Matrix<T>&>(destination), exchange_bytes);
}

}  // namespace cuboid
