#pragma once

#include <cuboid/export.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/op.hpp>

#include <cstdint>

namespace cuboid {

/// The maximum number of bytes that a redistribution sends, and that it receives, at once on each
/// rank. Its working memory is twice that, or twice the rank's own part if that is less.
inline constexpr std::int64_t default_exchange_bytes = std::int64_t{32} << 20;

/// destination ← op(source), for any layouts. Collective over their common communicator. Elements
/// that stay on a rank are copied directly; with equal layouts nothing is sent.
/// @param exchange_bytes  maximum bytes sent, and received, at once; at least one element.
/// Throws Error(invalid_argument) if the shapes do not match, the communicators differ, or both are
/// the same matrix; Error(out_of_memory).
template <MatrixElement T>
CUBOID_API void redistribute(Op op, const Matrix<T>& source, Matrix<T>& destination,
                             std::int64_t exchange_bytes = default_exchange_bytes);

/// Copies op(`block` of `source`) to the block of `destination` that begins at (i, j). The rest of
/// `destination` does not change. Collective. Errors as above, and Error(invalid_argument) if a
/// block exceeds its matrix.
template <MatrixElement T>
CUBOID_API void redistribute(Op op, const Matrix<T>& source, const BlockRange& block,
                             Matrix<T>& destination, Global<Row> i, Global<Column> j,
                             std::int64_t exchange_bytes = default_exchange_bytes);

}  // namespace cuboid
