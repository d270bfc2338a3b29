#pragma once

#include <cuboid/export.hpp>
#include <cuboid/irregular_layout.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/matrix.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

namespace cuboid {

/// The bytes of working memory that a redistribution needs on each rank, beyond the matrices.
/// Together with the memory that the transport takes for its messages, that is less than 32 MiB.
inline constexpr std::int64_t default_exchange_bytes = std::int64_t{24} << 20;

/// A regular or an irregular layout.
using AnyLayout = std::variant<Layout, IrregularLayout>;

/// The source of a redistribution: op() of a matrix or view, in a regular or an irregular layout.
/// It refers to the matrix.
template <MatrixElement T>
struct RedistributionSource {
  RedistributionSource(const Operand<T>& operand) : op(operand.op), matrix(&operand.matrix) {}
  RedistributionSource(const Matrix<T>& whole) : matrix(&whole) {}
  RedistributionSource(const IrregularMatrix<T>& whole) : matrix(&whole) {}
  RedistributionSource(Op applied, const Matrix<T>& to) : op(applied), matrix(&to) {}
  RedistributionSource(Op applied, const IrregularMatrix<T>& to) : op(applied), matrix(&to) {}

  Op op = Op::none;
  std::variant<const Matrix<T>*, const IrregularMatrix<T>*> matrix;
};

/// The destination of a redistribution: a matrix or view, in a regular or an irregular layout. It
/// refers to the matrix.
template <MatrixElement T>
struct RedistributionDestination {
  RedistributionDestination(Matrix<T>& whole) : matrix(&whole) {}
  RedistributionDestination(MatrixView<T>&& view) : matrix(&static_cast<Matrix<T>&>(view)) {}
  RedistributionDestination(IrregularMatrix<T>& whole) : matrix(&whole) {}

  std::variant<Matrix<T>*, IrregularMatrix<T>*> matrix;
};

/// One of several redistributions: destination ← α·op(source) + β·destination.
template <MatrixElement T>
struct RedistributionStep {
  T alpha = T(1);
  RedistributionSource<T> source;
  T beta = T(0);
  RedistributionDestination<T> destination;
};

/// The layouts of a redistribution. The destination has the shape of op(source).
struct RedistributedLayouts {
  AnyLayout source;
  Op op = Op::none;
  AnyLayout destination;

  bool operator==(const RedistributedLayouts&) const = default;
};

/// One or several redistributions that are planned once and run many times. A run does all of them
/// at once: all elements that one rank sends to another travel together. The constructor allocates
/// the memory; all redistributions of a communicator share it. Move-only.
///
///   RedistributionPlan<double> plan(communicator, A.layout(), Op::transpose, B.layout());
///   plan.run(1.0, A, 0.0, B);
template <MatrixElement T>
class CUBOID_API RedistributionPlan {
 public:
  using Layouts = RedistributedLayouts;

  /// Plans several redistributions. Collective over `communicator`, the communicator of the
  /// matrices. Takes time near-linear in the number of blocks.
  /// @param exchange_bytes  bytes of working memory; at least one element per message.
  /// Throws on every rank: Error(invalid_argument) if the shapes do not match or a layout has ranks
  /// that the communicator lacks, Error(out_of_memory).
  RedistributionPlan(const Communicator& communicator, std::vector<Layouts> several,
                     std::int64_t exchange_bytes = default_exchange_bytes);
  /// Plans one redistribution, as above.
  RedistributionPlan(const Communicator& communicator, const AnyLayout& source, Op op,
                     const AnyLayout& destination,
                     std::int64_t exchange_bytes = default_exchange_bytes)
      : RedistributionPlan(communicator, std::vector<Layouts>{{source, op, destination}},
                           exchange_bytes) {}
  ~RedistributionPlan();
  RedistributionPlan(RedistributionPlan&&) noexcept;
  RedistributionPlan& operator=(RedistributionPlan&&) noexcept;

  /// B ← α·op(A) + β·B with the op that was planned. Collective. As in BLAS, β = 0 does not read B,
  /// and α = 0 does not read A. A and B must not share memory, which run() does not check. Throws
  /// Error(invalid_argument) for other layouts or another communicator than planned, and if several
  /// redistributions were planned.
  void run(std::type_identity_t<T> alpha, const Matrix<T>& A, std::type_identity_t<T> beta,
           Matrix<T>& B);
  /// Runs all redistributions that were planned, in the order of the plan. Collective. The op of
  /// each source must be the planned one. Throws Error(invalid_argument) as above, and for another
  /// number of steps.
  void run(std::span<const RedistributionStep<T>> several);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

extern template class RedistributionPlan<float>;
extern template class RedistributionPlan<double>;
extern template class RedistributionPlan<std::complex<float>>;
extern template class RedistributionPlan<std::complex<double>>;

/// The destination's layout with its ranks exchanged so that more of op(source) stays on its rank.
/// The assignment problem is solved by taking the largest shares first and then exchanging pairs,
/// which keeps at least half of what the best assignment keeps, and never less than the given
/// layout. For programs that may choose which rank has which of the destination's blocks. Pure:
/// every rank gets the same result without communication. Takes time near-linear in the number of
/// blocks and of the pairs of ranks that share elements. Throws Error(invalid_argument) if the
/// shapes do not match.
CUBOID_API Layout relabelled(const AnyLayout& source, Op op, const Layout& destination);
/// relabelled() for a destination in irregular blocks, which several ranks may store. A rank takes
/// over all blocks of another rank.
CUBOID_API IrregularLayout relabelled(const AnyLayout& source, Op op,
                                      const IrregularLayout& destination);

/// B ← α·op(A) + β·B, for any layouts of A and B, which may be views. Collective over their common
/// communicator. A and B may each lie on any ranks of it (GridShape); the other ranks take part
/// cheaply. Elements that stay on a rank are copied directly. With equal layouts and no op nothing
/// is sent. As in BLAS, β = 0 does not read B, and α = 0 does not read A.
///
///   redistribute(1.0, transpose(A), 0.0, B);
///
/// @param exchange_bytes  bytes of working memory; at least one element per message.
/// Throws Error(invalid_argument), before anything is written, if the shapes do not match, the
/// communicators differ, or A and B share memory; Error(out_of_memory).
template <MatrixElement T>
CUBOID_API void redistribute(std::type_identity_t<T> alpha,
                             std::type_identity_t<RedistributionSource<T>> A,
                             std::type_identity_t<T> beta, Matrix<T>& B,
                             std::int64_t exchange_bytes = default_exchange_bytes);
/// redistribute() into a matrix in an irregular layout.
template <MatrixElement T>
CUBOID_API void redistribute(std::type_identity_t<T> alpha,
                             std::type_identity_t<RedistributionSource<T>> A,
                             std::type_identity_t<T> beta, IrregularMatrix<T>& B,
                             std::int64_t exchange_bytes = default_exchange_bytes);
/// redistribute() into a view; the view may be a temporary.
template <MatrixElement T>
void redistribute(std::type_identity_t<T> alpha, std::type_identity_t<RedistributionSource<T>> A,
                  std::type_identity_t<T> beta, MatrixView<T>&& B,
                  std::int64_t exchange_bytes = default_exchange_bytes) {
  redistribute<T>(alpha, A, beta, static_cast<Matrix<T>&>(B), exchange_bytes);
}

/// Does several redistributions at once: all elements that a rank sends to another travel together.
/// Collective. Errors as above. No destination may share memory with a source or another
/// destination.
template <MatrixElement T>
CUBOID_API void redistribute(std::span<const RedistributionStep<T>> several,
                             std::int64_t exchange_bytes = default_exchange_bytes);

/// destination ← op(source). Collective. Errors as above.
template <MatrixElement T>
void redistribute(Op op, const Matrix<T>& source, Matrix<T>& destination,
                  std::int64_t exchange_bytes = default_exchange_bytes) {
  redistribute<T>(T(1), {op, source}, T(0), destination, exchange_bytes);
}
/// destination ← op(source) into a view; the view may be a temporary.
template <MatrixElement T>
void redistribute(Op op, const Matrix<T>& source, MatrixView<T>&& destination,
                  std::int64_t exchange_bytes = default_exchange_bytes) {
  redistribute<T>(T(1), {op, source}, T(0), static_cast<Matrix<T>&>(destination), exchange_bytes);
}

}  // namespace cuboid
