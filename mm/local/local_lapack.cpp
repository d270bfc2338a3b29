#include <cuboid/error.hpp>
#include <cuboid/local_lapack.hpp>

#include "mm/local/lapack_library.hpp"
#include "mm/local/library_choice.hpp"
#include "mm/matrix/element_types.hpp"

#include <algorithm>
#include <complex>
#include <vector>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

template <class T>
std::int64_t largest_size(const LocalView<T>& view) {
  return std::max({view.rows, view.columns, view.leading_dimension});
}

std::string library_for(const Environment& environment, int threads_per_rank) {
  if (environment.lapack) return *environment.lapack;
  if (environment.blas && LapackLibrary::is_in(*environment.blas, threads_per_rank))
    return *environment.blas;
  return default_lapack_path();
}

}  // namespace

LocalLapack LocalLapack::open(const Environment& environment, int threads_per_rank) {
  if (threads_per_rank < 1) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("threads per rank = {}, must be at least 1", threads_per_rank));
  }
  return {LapackLibrary::at(library_for(environment, threads_per_rank), threads_per_rank),
          threads_per_rank};
}

const LapackLibrary& LocalLapack::ready(std::int64_t largest_size) const {
  if (largest_size > library_->blas().largest_integer()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("local LAPACK: {} is more than the library's integers hold ({}): use "
                            "more ranks, or a library of 64-bit integers",
                            largest_size, library_->blas().largest_integer()));
  }
  library_->blas().use_threads(threads_);
  return *library_;
}

template <MatrixElement T>
std::int64_t LocalLapack::getrf(LocalView<T> A, std::span<std::int64_t> pivots) const {
  if (A.rows == 0 || A.columns == 0) return 0;
  const std::int64_t info =
      ready(largest_size(A))
          .template getrf<T>(A.rows, A.columns, A.data, A.leading_dimension, pivots.data());
  for (std::int64_t& pivot : pivots) --pivot;
  return info;
}

template <MatrixElement T>
std::int64_t LocalLapack::potrf(Triangle triangle, LocalView<T> A) const {
  if (A.rows == 0) return 0;
  return ready(largest_size(A)).template potrf<T>(triangle, A.rows, A.data, A.leading_dimension);
}

template <MatrixElement T>
void LocalLapack::trsm(MatrixSide side, Triangle triangle, Op op, Diagonal diagonal,
                       std::type_identity_t<T> alpha, std::type_identity_t<LocalView<const T>> A,
                       LocalView<T> B) const {
  if (B.rows == 0 || B.columns == 0) return;
  ready(std::max(largest_size(A), largest_size(B)))
      .template trsm<T>(side, triangle, op, diagonal, B.rows, B.columns, alpha, A.data,
                        A.leading_dimension, B.data, B.leading_dimension);
}

template <MatrixElement T>
void LocalLapack::geqrt(LocalView<T> A, LocalView<T> factor) const {
  if (A.columns == 0) return;
  if (A.rows < A.columns || factor.rows != A.columns || factor.columns != A.columns) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("geqrt: A is {}x{} and T {}x{}: give A at least as many rows as columns, "
                    "and T as many of both as A has columns",
                    A.rows, A.columns, factor.rows, factor.columns));
  }
  for (std::int64_t j = 0; j < factor.columns; ++j)
    std::fill_n(factor.column(j), factor.rows, T(0));
  ready(std::max(largest_size(A), largest_size(factor)))
      .template geqrt3<T>(A.rows, A.columns, A.data, A.leading_dimension, factor.data,
                          factor.leading_dimension);
}

template <MatrixElement T>
double LocalLapack::one_norm(std::int64_t n,
                             const std::function<void(Op, std::span<T>)>& apply) const {
  RealOf<T> estimate = 0;
  if (n == 0) return estimate;
  constexpr std::int64_t times_matrix = 1;
  const LapackLibrary& library = ready(n);
  const auto size = static_cast<std::size_t>(n);
  std::vector<T> v(size), x(size);
  std::vector<std::int64_t> signs(size);
  LapackLibrary::NormState state;
  while (true) {
    library.template lacn2<T>(n, v.data(), x.data(), signs.data(), estimate, state);
    if (state.kase == 0) return estimate;
    apply(state.kase == times_matrix ? Op::none : Op::conjugate_transpose, x);
  }
}

std::string LocalLapack::library() const {
  return library_->blas().name();
}

std::string LocalLapack::kernels() const {
  return library_->blas().kernels();
}

#define CUBOID_FOR(T)                                                                        \
  template std::int64_t LocalLapack::getrf(LocalView<T>, std::span<std::int64_t>) const;     \
  template std::int64_t LocalLapack::potrf(Triangle, LocalView<T>) const;                    \
  template void LocalLapack::trsm(MatrixSide, Triangle, Op, Diagonal, T, LocalView<const T>, \
                                  LocalView<T>) const;                                       \
  template void LocalLapack::geqrt(LocalView<T>, LocalView<T>) const;                        \
  template double LocalLapack::one_norm<T>(std::int64_t,                                     \
                                           const std::function<void(Op, std::span<T>)>&) const
CUBOID_FOR_ELEMENT_TYPES(CUBOID_FOR);
#undef CUBOID_FOR

}  // namespace cuboid
