#include <cuboid/error.hpp>
#include <cuboid/factorise.hpp>
#include <cuboid/redistribute.hpp>

#include "mm/lu/distributed_triangles.hpp"
#include "mm/lu/factorise_plan.hpp"
#include "mm/lu/solve_systems.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/new_matrix.hpp"
#include "mm/matrix/ranks.hpp"

#include <array>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

template <MatrixElement T>
void trsm(MatrixSide side, Triangle triangle, Op op, Diagonal diagonal,
          std::type_identity_t<T> alpha, const Matrix<T>& A, Matrix<T>& B,
          const LocalKernels& kernels, const FactoriseOptions& options) {
  if (!same_communicator(A.communicator(), B.communicator())) {
    throw Error(ErrorCode::invalid_argument,
                "trsm: A and B are on different communicators: make them on one");
  }
  const bool left = side == MatrixSide::left;
  if (A.m() != A.n() || (left ? B.m() : B.n()) != A.n()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("trsm: A is {}x{} and B {}x{}: A must be square and as large as B has "
                            "{}",
                            A.m(), A.n(), B.m(), B.n(), left ? "rows" : "columns"));
  }
  FactoriseOptions flat = options;
  flat.layers = 1;
  const FactorisePlan plan = plan_factorisation(FactorisationKind::lu, A, flat);
  DistributedTriangles<T> triangles(A.communicator(), A.m(), A.n(), plan);
  triangles.load(A);
  if (left) {
    solve_systems<T>(triangles, std::array{TriangularSystem{triangle, op, diagonal}}, alpha, {}, B,
                     kernels);
    return;
  }
  // X·op(A) = α·B is solved transposed: A·Xᴴ = conj(α)·Bᴴ if op is the conjugate transpose, else
  // op(A)ᵀ·Xᵀ = α·Bᵀ.
  const bool conjugated = op == Op::conjugate_transpose;
  const Op transposing = conjugated ? Op::conjugate_transpose : Op::transpose;
  const Op transposed_op = op == Op::none ? Op::transpose : Op::none;
  Matrix<T> transposed = new_matrix<T>(B.communicator(), B.layout().transposed());
  redistribute(transposing, B, transposed);
  solve_systems<T>(triangles, std::array{TriangularSystem{triangle, transposed_op, diagonal}},
                   conjugated ? conjugate(alpha) : alpha, {}, transposed, kernels);
  redistribute(transposing, transposed, B);
}

#define CUBOID_INSTANTIATE(T)                                                             \
  template void trsm(MatrixSide, Triangle, Op, Diagonal, T, const Matrix<T>&, Matrix<T>&, \
                     const LocalKernels&, const FactoriseOptions&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid
