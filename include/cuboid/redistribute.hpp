#pragma once

#include <cuboid/export.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/op.hpp>

#include <cstdint>

namespace cuboid {

/// What a redistribution sends and receives at once, at most, in bytes each way on each rank. Its
/// working memory is twice that, or twice the rank's own part where that is less.
inline constexpr std::int64_t default_exchange_bytes = std::int64_t{32} << 20;

/// destination = op(source), whatever their layouts. Collective over their communicator, which must
/// be the same. Equal layouts are copied in place, nothing is sent; what a rank keeps is copied
/// straight from part to part.
/// @param exchange_bytes  bound of what is sent and received at once; one element at a time is the
/// least. Throws Error(invalid_argument) where shapes do not fit, communicators differ, or both are
/// the same matrix; Error(out_of_memory).
template <MatrixElement T>
CUBOID_API void redistribute(Op op, const Matrix<T>& source, Matrix<T>& destination,
                             std::int64_t exchange_bytes = default_exchange_bytes);

/// The block of `destination` that begins at (i, j) becomes op(`block` of `source`); the rest of
/// `destination` is left alone. Collective; errors as above, and Error(invalid_argument) where a
/// block leaves its matrix.
template <MatrixElement T>
CUBOID_API void redistribute(Op op, const Matrix<T>& source, const BlockRange& block,
                             Matrix<T>& destination, Global<Row> i, Global<Column> j,
                             std::int64_t exchange_bytes = default_exchange_bytes);

}  // namespace cuboid
