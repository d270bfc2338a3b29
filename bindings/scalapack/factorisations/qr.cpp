#include "bindings/scalapack/factorisations/qr.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/error.hpp>
#include <cuboid/factorise.hpp>
#include <cuboid/qr.hpp>

#include "bindings/scalapack/calls/scalar.hpp"
#include "bindings/scalapack/calls/submatrix_view.hpp"
#include "bindings/scalapack/calls/workspace.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/qr/given_factors.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail::scalapack {

namespace {

/// The op that TRANS names, if ScaLAPACK's orthogonal routines accept it: N, T for a real matrix, C
/// for a complex one. nullopt for any other.
template <MatrixElement T>
std::optional<Op> orthogonal_op_of(char trans) {
  const std::optional<Op> op = op_of(trans);
  const Op other = is_complex<T> ? Op::conjugate_transpose : Op::transpose;
  return op == Op::none || op == other ? op : std::nullopt;
}

/// The cut of a submatrix's rows or columns into blocks: the length of a block, and the number of
/// indices that the first block lacks.
struct Cut {
  int block, offset;
  bool operator==(const Cut&) const = default;
};
Cut cut_of_rows(const Submatrix& part) {
  const int block = std::max(part.descriptor.row_block, 1);
  return {block, (part.i - 1) % block};
}
Cut cut_of_columns(const Submatrix& part) {
  const int block = std::max(part.descriptor.column_block, 1);
  return {block, (part.j - 1) % block};
}

/// Throws on all ranks if the first rows of two submatrices are on different process rows, which
/// ScaLAPACK refuses.
void require_equal_first_rows(const Context& context, const Submatrix& one,
                              const Submatrix& other) {
  const auto first_row = [&](const Submatrix& part) {
    return layout_of(part, context.ranks).rows().owner(Global<Row>(0));
  };
  if (first_row(one) != first_row(other))
    throw Error(ErrorCode::invalid_argument, "rows begin on different process rows");
}

/// Calls use(number, local) for the elements of TAU that this process stores: those of its columns.
template <class Use>
void for_own_taus(const Context& context, const Submatrix& part, std::int64_t count,
                  const Use& use) {
  const Layout all = layout_of_all(part.descriptor, context.ranks);
  Global<Column> column(part.j - 1);
  for (std::int64_t k = 0; k < count; ++k, ++column) {
    if (all.columns().owner(column) == context.grid.column)
      use(static_cast<std::size_t>(k), all.columns().local(column).value);
  }
}

template <MatrixElement T>
void store_taus(const Context& context, const Submatrix& part, std::span<const T> taus, T* tau) {
  for_own_taus(context, part, std::ssize(taus),
               [&](std::size_t k, std::int64_t local) { tau[local] = taus[k]; });
}

/// All of TAU on every rank. Each process row has TAU, distributed over its columns.
template <MatrixElement T>
std::vector<T> gathered_taus(const Context& context, const Submatrix& part, const T* tau) {
  std::vector<T> taus(static_cast<std::size_t>(part.columns));
  if (context.grid.row == 0) {
    for_own_taus(context, part, part.columns,
                 [&](std::size_t k, std::int64_t local) { taus[k] = tau[local]; });
  }
  allreduce(context.ours(), taus, taus, Reduction::Kind::sum);
  return taus;
}

template <MatrixElement T>
CallClass class_of(Routine routine, const Submatrix& part, std::int64_t k, bool transposed) {
  return {.routine = routine,
          .type = letter<T>(),
          .extents = {logarithm(part.rows), logarithm(part.columns), logarithm(k)},
          .block = logarithm(part.descriptor.row_block),
          .transposed = transposed};
}

/// B ← the solution in its first rows, and below it what p?gels leaves there. `a` contains the
/// factors.
template <MatrixElement T>
void solve_with(const QrFactorisation<T>& factors, Op op, Matrix<T>& a, Matrix<T>& b,
                const LocalKernels& kernels) {
  const std::int64_t m = factors.m(), n = factors.n();
  const auto rows = [&b](std::int64_t begin, std::int64_t end) {
    return view(b, Global<Row>(begin), Global<Column>(0), end - begin, b.n());
  };
  const auto divide_by_r = [&](Op op_of_r) {
    MatrixView<T> top = rows(0, n);
    trsm(MatrixSide::left, Triangle::upper, op_of_r, Diagonal::stored, T(1),
         view(a, Global<Row>(0), Global<Column>(0), n, n), top, kernels);
  };
  if (op == Op::none) {
    factors.apply_q(Op::conjugate_transpose, MatrixSide::left, b);
    return divide_by_r(Op::none);
  }
  divide_by_r(Op::conjugate_transpose);
  scale(T(0), rows(n, m).local());
  factors.apply_q(Op::none, MatrixSide::left, b);
}

}  // namespace

template <MatrixElement T>
void geqrf(Geqrf<T>* native, const int* m, const int* n, T* A, const int* ia, const int* ja,
           const int* desc_a, T* tau, T* work, const int* work_length, int* info) {
  const auto call_native = [&](T* space, const int* length, int* result) {
    native(m, n, A, ia, ja, desc_a, tau, space, length, result);
  };
  const auto hand_on = [&] { call_native(work, work_length, info); };
  const bool little = hands_on_product(*m, *n, std::min(*m, *n));
  if (little || *work_length == workspace_query || desc_a[0] != 1) return hand_on();
  const Submatrix part{MatrixDescriptor::read(desc_a), *ia, *ja, *m, *n};
  T required(0);
  serve_parts(
      {part}, class_of<T>(Routine::geqrf, part, std::min(*m, *n), false),
      [&](Context& context) {
        local_kernels(context.ours());
        required = required_workspace<T>(context, *work_length, call_native);
      },
      [&](Context& context) {
        MatrixView<T> a = view_of(context.ours(), context.ranks, part, A);
        const QrFactorisation<T> factors = cuboid::qr(a, local_kernels(context.ours()));
        factors.copy_to(a);
        store_taus(context, part, factors.taus(), tau);
        *work = required;
        *info = 0;
      },
      hand_on);
}

template <MatrixElement T>
void ormqr(Ormqr<T>* native, const char* side, const char* trans, const int* m, const int* n,
           const int* k, const T* A, const int* ia, const int* ja, const int* desc_a, const T* tau,
           T* C, const int* ic, const int* jc, const int* desc_c, T* work, const int* work_length,
           int* info) {
  const auto call_native = [&](T* space, const int* length, int* result) {
    native(side, trans, m, n, k, A, ia, ja, desc_a, tau, C, ic, jc, desc_c, space, length, result,
           one_letter, one_letter);
  };
  const auto hand_on = [&] { call_native(work, work_length, info); };
  const auto stands = side_of(*side);
  const auto op = orthogonal_op_of<T>(*trans);
  if (!stands || !op || *work_length == workspace_query || hands_on_product(*m, *n, *k))
    return hand_on();
  const bool left = *stands == MatrixSide::left;
  const int order = left ? *m : *n;
  if (desc_a[0] != 1 || desc_c[0] != 1 || *k > order) return hand_on();
  const Submatrix part_a{MatrixDescriptor::read(desc_a), *ia, *ja, order, *k};
  const Submatrix part_c{MatrixDescriptor::read(desc_c), *ic, *jc, *m, *n};
  if (cut_of_rows(part_a) != (left ? cut_of_rows(part_c) : cut_of_columns(part_c)))
    return hand_on();
  const auto a = [&](Context& context) {
    return view_of(context.ours(), context.ranks, part_a, A);
  };
  const auto c = [&](Context& context) {
    return view_of(context.ours(), context.ranks, part_c, C);
  };
  T required(0);
  serve_parts(
      {part_a, part_c}, class_of<T>(Routine::ormqr, part_c, *k, !left),
      [&](Context& context) {
        local_kernels(context.ours());
        if (left) require_equal_first_rows(context, part_a, part_c);
        require_apart<T>(c(context), a(context));
        required = required_workspace<T>(context, *work_length, call_native);
      },
      [&](Context& context) {
        MatrixView<T> turned = c(context);
        const std::vector<T> taus = gathered_taus(context, part_a, tau);
        qr_of_given_factors<T>(a(context), taus, local_kernels(context.ours()))
            .apply_q(*op, *stands, turned);
        *work = required;
        *info = 0;
      },
      hand_on);
}

template <MatrixElement T>
void gels(Gels<T>* native, const char* trans, const int* m, const int* n,
          const int* right_hand_sides, T* A, const int* ia, const int* ja, const int* desc_a, T* B,
          const int* ib, const int* jb, const int* desc_b, T* work, const int* work_length,
          int* info) {
  const auto call_native = [&](T* space, const int* length, int* result) {
    native(trans, m, n, right_hand_sides, A, ia, ja, desc_a, B, ib, jb, desc_b, space, length,
           result, one_letter);
  };
  const auto hand_on = [&] { call_native(work, work_length, info); };
  const auto op = orthogonal_op_of<T>(*trans);
  const bool little = hands_on_product(*m, *n, *n) || *right_hand_sides < 1;
  if (!op || *work_length == workspace_query || little || *m < *n) return hand_on();
  if (desc_a[0] != 1 || desc_b[0] != 1) return hand_on();
  const Submatrix part_a{MatrixDescriptor::read(desc_a), *ia, *ja, *m, *n};
  const Submatrix part_b{MatrixDescriptor::read(desc_b), *ib, *jb, *m, *right_hand_sides};
  if (cut_of_rows(part_a) != cut_of_columns(part_a) || cut_of_rows(part_a) != cut_of_rows(part_b))
    return hand_on();
  const auto a = [&](Context& context) {
    return view_of(context.ours(), context.ranks, part_a, A);
  };
  const auto b = [&](Context& context) {
    return view_of(context.ours(), context.ranks, part_b, B);
  };
  std::optional<QrFactorisation<T>> factors;
  T required(0);
  serve_parts(
      {part_a, part_b}, class_of<T>(Routine::gels, part_a, *right_hand_sides, *op != Op::none),
      [&](Context& context) {
        require_equal_first_rows(context, part_a, part_b);
        require_apart<T>(b(context), a(context));
        required = required_workspace<T>(context, *work_length, call_native);
        factors = cuboid::qr<T>(a(context), local_kernels(context.ours()));
        if (factors->info() != 0)
          throw Error(ErrorCode::invalid_argument, "the matrix has not full rank");
      },
      [&](Context& context) {
        MatrixView<T> factorised = a(context), solution = b(context);
        factors->copy_to(factorised);
        solve_with<T>(*factors, *op, factorised, solution, local_kernels(context.ours()));
        *work = required;
        *info = 0;
      },
      hand_on);
}

#define CUBOID_INSTANTIATE(T)                                                                    \
  template void geqrf(Geqrf<T>*, const int*, const int*, T*, const int*, const int*, const int*, \
                      T*, T*, const int*, int*);                                                 \
  template void ormqr(Ormqr<T>*, const char*, const char*, const int*, const int*, const int*,   \
                      const T*, const int*, const int*, const int*, const T*, T*, const int*,    \
                      const int*, const int*, T*, const int*, int*);                             \
  template void gels(Gels<T>*, const char*, const int*, const int*, const int*, T*, const int*,  \
                     const int*, const int*, T*, const int*, const int*, const int*, T*,         \
                     const int*, int*)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail::scalapack
