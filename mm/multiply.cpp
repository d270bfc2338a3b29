#include <cuboid/base/error.hpp>
#include <cuboid/mm/agreed.hpp>
#include <cuboid/mm/local_copy.hpp>
#include <cuboid/mm/multiply.hpp>
#include <cuboid/mm/redistribute.hpp>
#include <cuboid/mm/same_communicator.hpp>
#include <cuboid/mm/stopwatch.hpp>

#include <complex>

#include <fmt/format.h>

namespace cuboid {

namespace {

[[noreturn]] void reject(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, "multiply: " + message);
}

template <MatrixElement T>
std::string describe(const char* name, const Operand<T>& operand) {
  const auto stored = fmt::format("{}x{}", operand.matrix.m(), operand.matrix.n());
  if (operand.op == Op::none) return fmt::format("{} is {}", name, stored);
  return fmt::format("op({}) is {}x{} ({}, {})", name, operand.m(), operand.n(), stored,
                     to_string(operand.op));
}

template <MatrixElement T>
void check_shapes(const Operand<T>& A, const Operand<T>& B, const Matrix<T>& C) {
  if (A.n() != B.m()) {
    reject(fmt::format("{}, {}: the columns of the first must be the rows of the second",
                       describe("A", A), describe("B", B)));
  }
  if (C.m() != A.m() || C.n() != B.n()) {
    reject(fmt::format("{}, {}, C is {}x{}: give a C of {}x{}", describe("A", A), describe("B", B),
                       C.m(), C.n(), A.m(), B.n()));
  }
}

template <MatrixElement T>
void check_operand(const char* name, const Operand<T>& operand, const Matrix<T>& C) {
  if (&operand.matrix == &C) {
    reject(fmt::format("C is {0} itself: give a matrix of its own, {0} is read while C is written",
                       name));
  }
  if (!same_communicator(operand.matrix.communicator(), C.communicator())) {
    reject(fmt::format("{} and C have different communicators: make all matrices with the same one",
                       name));
  }
}

GridShape grid_for(const Layout& C, int ranks, const MultiplyOptions& options) {
  if (options.grid) return *options.grid;
  const bool keeps_ranks_busy = C.grid().size() >= ranks - ranks / 10;
  return keeps_ranks_busy ? C.grid() : choose_grid(ranks);
}

template <MatrixElement T>
PhaseSeconds multiply_on(const ProcessGrid& grid, T alpha, const Operand<T>& A, const Operand<T>& B,
                         T beta, Matrix<T>& C, const LocalGemm& gemm, std::int64_t panel_width) {
  if (C.layout().grid() == grid.shape()) {
    return summa(alpha, A.op, A.matrix, B.op, B.matrix, beta, C, grid, gemm, panel_width);
  }
  double distribute = 0;
  auto on_grid = agreed(C.communicator(), [&] {
    return Matrix<T>(C.communicator(), Layout::block(C.m(), C.n(), grid.shape()));
  });
  if (beta != T(0)) {
    const Stopwatch watch(distribute);
    redistribute(Op::none, C, on_grid);
  }
  PhaseSeconds seconds =
      summa(alpha, A.op, A.matrix, B.op, B.matrix, beta, on_grid, grid, gemm, panel_width);
  {
    const Stopwatch watch(distribute);
    redistribute(Op::none, on_grid, C);
  }
  seconds.distribute += distribute;
  return seconds;
}

}  // namespace

template <MatrixElement T>
Report multiply(std::type_identity_t<T> alpha, std::type_identity_t<Operand<T>> A,
                std::type_identity_t<Operand<T>> B, std::type_identity_t<T> beta, Matrix<T>& C,
                const LocalGemm& gemm, const MultiplyOptions& options) {
  check_operand("A", A, C);
  check_operand("B", B, C);
  check_shapes(A, B, C);
  const std::int64_t panel_width = options.panel_width.value_or(default_panel_width);
  if (panel_width < 1) reject(fmt::format("panel width {}: give at least 1", panel_width));
  const GridShape shape = grid_for(C.layout(), C.communicator().size(), options);
  if (shape.size() > C.communicator().size()) {
    reject(fmt::format("a {} grid needs {} ranks, there are {}: give a smaller grid or more ranks",
                       to_string(shape), shape.size(), C.communicator().size()));
  }
  if (alpha == T(0) || A.n() == 0) {
    scale(beta, C.local());
    return {"scale", shape, panel_width, {}};
  }
  const ProcessGrid grid(C.communicator(), shape);
  return {"summa", shape, panel_width, multiply_on(grid, alpha, A, B, beta, C, gemm, panel_width)};
}

std::string to_string(const Report& report) {
  return fmt::format(
      "{} on a {} grid, panels of {}: distribute {:.3f} s, broadcast {:.3f} s, gemm {:.3f} s",
      report.algorithm, to_string(report.grid), report.panel_width, report.seconds.distribute,
      report.seconds.broadcast, report.seconds.gemm);
}

#define CUBOID_INSTANTIATE(T)                                                            \
  template Report multiply<T>(std::type_identity_t<T>, std::type_identity_t<Operand<T>>, \
                              std::type_identity_t<Operand<T>>, std::type_identity_t<T>, \
                              Matrix<T>&, const LocalGemm&, const MultiplyOptions&)
CUBOID_INSTANTIATE(float);
CUBOID_INSTANTIATE(double);
CUBOID_INSTANTIATE(std::complex<float>);
CUBOID_INSTANTIATE(std::complex<double>);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid
