#include "bindings/scalapack/factorisations/factorise.hpp"

#include <cuboid/factorise.hpp>

#include "bindings/scalapack/calls/submatrix_view.hpp"
#include "bindings/scalapack/factorisations/factors_in_place.hpp"
#include "mm/matrix/element_types.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <span>

namespace cuboid::detail::scalapack {

namespace {

/// Stores IPIV: for each of the process's rows, the row of the whole matrix with which it was
/// exchanged, counted from 1.
void store_pivots(const Context& context, const Submatrix& part,
                  std::span<const std::int64_t> exchanged, int* pivots) {
  const Layout all = layout_of_all(part.descriptor, context.ranks);
  Global<Row> row(part.i - 1);
  for (const std::int64_t other : exchanged) {
    if (all.rows().owner(row) == context.grid.row)
      pivots[all.rows().local(row).value] = static_cast<int>(part.i + other);
    ++row;
  }
}

}  // namespace

template <MatrixElement T>
void getrf(Getrf<T>* native, const int* m, const int* n, T* A, const int* ia, const int* ja,
           const int* desc_a, int* pivots, int* info) {
  const auto hand_on = [&] { native(m, n, A, ia, ja, desc_a, pivots, info); };
  if (hands_on_product(*m, *n, std::min(*m, *n), 2)) return hand_on();
  const Submatrix part{MatrixDescriptor::read(desc_a), *ia, *ja, *m, *n};
  if (!may_be_factorised(desc_a, part)) return hand_on();
  serve_parts(
      {part}, class_in_place<T>(Routine::getrf, part),
      [](Context& context) { local_kernels(context.ours()); },
      [&](Context& context) {
        MatrixView<T> a = view_of(context.ours(), context.ranks, part, A);
        const LuFactorisation<T> factors =
            factorise(a, local_kernels(context.ours()), {.pivoting = Pivoting::partial});
        factors.copy_to(a);
        store_pivots(context, part, factors.pivots(), pivots);
        *info = static_cast<int>(factors.info());
      },
      hand_on);
}

template <MatrixElement T>
void potrf(Potrf<T>* native, const char* uplo, const int* n, T* A, const int* ia, const int* ja,
           const int* desc_a, int* info) {
  const auto hand_on = [&] { native(uplo, n, A, ia, ja, desc_a, info, 1); };
  const auto triangle = triangle_of(*uplo);
  if (hands_on_product(*n, *n, *n, 2) || !triangle) return hand_on();
  const Submatrix part{MatrixDescriptor::read(desc_a), *ia, *ja, *n, *n};
  if (!may_be_factorised(desc_a, part)) return hand_on();
  serve_parts(
      {part}, class_in_place<T>(Routine::potrf, part),
      [](Context& context) { local_kernels(context.ours()); },
      [&](Context& context) {
        MatrixView<T> a = view_of(context.ours(), context.ranks, part, A);
        const LuFactorisation<T> factors =
            cholesky(a, local_kernels(context.ours()), {}, *triangle);
        *info = static_cast<int>(factors.info());
        if (*info == 0) factors.copy_to(a, *triangle);
      },
      hand_on);
}

#define CUBOID_INSTANTIATE(T)                                                                     \
  template void getrf(Getrf<T>*, const int*, const int*, T*, const int*, const int*, const int*,  \
                      int*, int*);                                                                \
  template void potrf(Potrf<T>*, const char*, const int*, T*, const int*, const int*, const int*, \
                      int*)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail::scalapack
