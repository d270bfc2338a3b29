#include "bindings/scalapack/factorisations/invert.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/error.hpp>
#include <cuboid/factorise.hpp>

#include "bindings/scalapack/calls/submatrix_view.hpp"
#include "bindings/scalapack/calls/workspace.hpp"
#include "bindings/scalapack/factorisations/factors_in_place.hpp"
#include "mm/lu/triangular_inverse.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/triangles/triangles.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cuboid::detail::scalapack {

namespace {

/// Throws on all ranks if the diagonal has a zero, which the native routine reports. Collective.
template <MatrixElement T>
void require_regular(MatrixView<T> a) {
  bool regular = true;
  for_diagonal(a, [&](const T& element) { regular = regular && element != T(0); });
  collective_try(a.communicator(), [&] {
    if (!regular) throw Error(ErrorCode::invalid_argument, "the triangle is singular");
  });
}

/// The row with which each row of the submatrix was exchanged, counted from its first row: IPIV of
/// all ranks. Throws on all ranks if one is not in the submatrix. Collective.
std::vector<std::int64_t> gathered_pivots(const Context& context, const Submatrix& part,
                                          const int* pivots) {
  const Layout all = layout_of_all(part.descriptor, context.ranks);
  std::vector<std::int64_t> exchanged(static_cast<std::size_t>(part.rows));
  Global<Row> row(part.i - 1);
  for (std::int64_t& other : exchanged) {
    if (context.grid.column == 0 && all.rows().owner(row) == context.grid.row)
      other = pivots[all.rows().local(row).value] - part.i;
    ++row;
  }
  allreduce(context.ours(), exchanged, exchanged, Reduction::Kind::sum);
  for (const std::int64_t other : exchanged) {
    if (other < 0 || other >= part.rows)
      throw Error(ErrorCode::invalid_argument, "IPIV names a row outside the submatrix");
  }
  return exchanged;
}

}  // namespace

template <MatrixElement T>
void trtri(Trtri<T>* native, const char* uplo, const char* diag, const int* n, T* A, const int* ia,
           const int* ja, const int* desc_a, int* info) {
  const auto hand_on = [&] {
    native(uplo, diag, n, A, ia, ja, desc_a, info, one_letter, one_letter);
  };
  const auto triangle = triangle_of(*uplo);
  const auto diagonal = diagonal_of(*diag);
  if (hands_on_product(*n, *n, *n, 2) || !triangle || !diagonal) return hand_on();
  const Submatrix part{MatrixDescriptor::read(desc_a), *ia, *ja, *n, *n};
  if (!may_be_factorised(desc_a, part)) return hand_on();
  const auto a = [&](Context& context) { return view_of(context.ours(), context.ranks, part, A); };
  serve_parts(
      {part}, class_in_place<T>(Routine::trtri, part),
      [&](Context& context) {
        local_kernels(context.ours());
        if (*diagonal == Diagonal::stored) require_regular(a(context));
      },
      [&](Context& context) {
        MatrixView<T> inverted = a(context);
        cuboid::trtri<T>(*triangle, *diagonal, inverted, local_kernels(context.ours()));
        *info = 0;
      },
      hand_on);
}

template <MatrixElement T>
void potri(Potri<T>* native, const char* uplo, const int* n, T* A, const int* ia, const int* ja,
           const int* desc_a, int* info) {
  const auto hand_on = [&] { native(uplo, n, A, ia, ja, desc_a, info, one_letter); };
  const auto triangle = triangle_of(*uplo);
  if (hands_on_product(*n, *n, *n, 2) || !triangle) return hand_on();
  const Submatrix part{MatrixDescriptor::read(desc_a), *ia, *ja, *n, *n};
  if (!may_be_factorised(desc_a, part)) return hand_on();
  const auto a = [&](Context& context) { return view_of(context.ours(), context.ranks, part, A); };
  serve_parts(
      {part}, class_in_place<T>(Routine::potri, part),
      [&](Context& context) {
        local_kernels(context.ours());
        require_regular(a(context));
      },
      [&](Context& context) {
        MatrixView<T> inverted = a(context);
        invert_from_cholesky<T>(*triangle, inverted, local_kernels(context.ours()));
        *info = 0;
      },
      hand_on);
}

template <MatrixElement T>
void getri(Getri<T>* native, const int* n, T* A, const int* ia, const int* ja, const int* desc_a,
           const int* pivots, T* work, const int* work_length, int* integers,
           const int* integers_length, int* info) {
  const auto hand_on = [&] {
    native(n, A, ia, ja, desc_a, pivots, work, work_length, integers, integers_length, info);
  };
  const bool asks = *work_length == workspace_query || *integers_length == workspace_query;
  if (asks || hands_on_product(*n, *n, *n, 2)) return hand_on();
  const Submatrix part{MatrixDescriptor::read(desc_a), *ia, *ja, *n, *n};
  if (!may_be_factorised(desc_a, part)) return hand_on();
  const auto a = [&](Context& context) { return view_of(context.ours(), context.ranks, part, A); };
  T required(0);
  int required_integers = 0;
  std::vector<std::int64_t> exchanged;
  serve_parts(
      {part}, class_in_place<T>(Routine::getri, part),
      [&](Context& context) {
        local_kernels(context.ours());
        required = required_workspace<T>(context, *work_length,
                                         [&](T* space, const int* length, int* result) {
                                           native(n, A, ia, ja, desc_a, pivots, space, length,
                                                  &required_integers, &workspace_query, result);
                                         });
        require_workspace(context, *integers_length, required_integers);
        require_regular(a(context));
        exchanged = gathered_pivots(context, part, pivots);
      },
      [&](Context& context) {
        MatrixView<T> inverted = a(context);
        invert_from_lu<T>(exchanged, inverted, local_kernels(context.ours()));
        *work = required;
        *integers = required_integers;
        *info = 0;
      },
      hand_on);
}

#define CUBOID_INSTANTIATE(T)                                                                      \
  template void trtri(Trtri<T>*, const char*, const char*, const int*, T*, const int*, const int*, \
                      const int*, int*);                                                           \
  template void potri(Potri<T>*, const char*, const int*, T*, const int*, const int*, const int*,  \
                      int*);                                                                       \
  template void getri(Getri<T>*, const int*, T*, const int*, const int*, const int*, const int*,   \
                      T*, const int*, int*, const int*, int*)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail::scalapack
