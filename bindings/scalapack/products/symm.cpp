#include "bindings/scalapack/products/symm.hpp"

#include "bindings/scalapack/calls/scalar.hpp"
#include "bindings/scalapack/calls/submatrix_view.hpp"
#include "bindings/scalapack/products/cached_multiplier.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/products/sided_product.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace cuboid::detail::scalapack {

namespace {

/// The matrices of a call in the program's memory, and the operation on them.
template <MatrixElement T>
struct SymmetricProductOfViews {
  MatrixView<T> A, B, C;
  SymmetricProduct<T> product;

  SymmetricProductOfViews(MatrixSide side, Triangle triangle, Op mirror, T alpha, MatrixView<T> a,
                          MatrixView<T> b, T beta, MatrixView<T> c)
      : A(std::move(a)),
        B(std::move(b)),
        C(std::move(c)),
        product(side, triangle, mirror, alpha, A, B, beta, C) {}
};

}  // namespace

template <MatrixElement T>
void symm(Symm<T>* native, Op mirror, const char* side, const char* uplo, const int* m,
          const int* n, const T* alpha, const T* A, const int* ia, const int* ja, const int* desc_a,
          const T* B, const int* ib, const int* jb, const int* desc_b, const T* beta, T* C,
          const int* ic, const int* jc, const int* desc_c) {
  const auto hand_on = [&] {
    native(side, uplo, m, n, alpha, A, ia, ja, desc_a, B, ib, jb, desc_b, beta, C, ic, jc, desc_c);
  };
  const auto stands = side_of(*side);
  const auto triangle = triangle_of(*uplo);
  if (!stands || !triangle || *alpha == T(0)) return hand_on();
  const bool left = *stands == MatrixSide::left;
  const int order = left ? *m : *n;
  if (hands_on_product(*m, *n, order)) return hand_on();
  const Submatrix part_a{MatrixDescriptor::read(desc_a), *ia, *ja, order, order};
  const Submatrix part_b{MatrixDescriptor::read(desc_b), *ib, *jb, *m, *n};
  const Submatrix part_c{MatrixDescriptor::read(desc_c), *ic, *jc, *m, *n};
  std::optional<SymmetricProductOfViews<T>> call;
  serve_parts(
      {part_a, part_b, part_c},
      {.routine = Routine::symm,
       .type = letter<T>(),
       .extents = {logarithm(*m), logarithm(*n), -1},
       .block = logarithm(part_c.descriptor.row_block),
       .transposed = !left},
      [&](Context& context) {
        const auto view = [&](const Submatrix& part, const T* data) {
          return view_of(context.ours(), context.ranks, part, data);
        };
        call.emplace(*stands, *triangle, mirror, *alpha, view(part_a, A), view(part_b, B), *beta,
                     view(part_c, C));
        require_apart<T>(call->C, call->A, call->B);
        call->product.prepare(cached_multiplier<T>(context));
      },
      [&](Context& context) { call->product.run(cached_multiplier<T>(context)); }, hand_on);
}

#define CUBOID_INSTANTIATE(T)                                                                  \
  template void symm(Symm<T>*, Op, const char*, const char*, const int*, const int*, const T*, \
                     const T*, const int*, const int*, const int*, const T*, const int*,       \
                     const int*, const int*, const T*, T*, const int*, const int*, const int*)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail::scalapack
