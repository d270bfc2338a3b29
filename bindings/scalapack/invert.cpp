#include "bindings/scalapack/invert.hpp"

#include <cuboid/error.hpp>
#include <cuboid/factorise.hpp>

#include "bindings/scalapack/factors_in_place.hpp"
#include "bindings/scalapack/submatrix_view.hpp"
#include "mm/lu/triangular_inverse.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/triangles/triangles.hpp"

#include <complex>

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

#define CUBOID_INSTANTIATE(T)                                                                      \
  template void trtri(Trtri<T>*, const char*, const char*, const int*, T*, const int*, const int*, \
                      const int*, int*);                                                           \
  template void potri(Potri<T>*, const char*, const int*, T*, const int*, const int*, const int*,  \
                      int*)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail::scalapack
