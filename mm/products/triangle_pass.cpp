#include "mm/products/triangle_pass.hpp"

#include "mm/drivers/summa/summa.hpp"
#include "mm/matrix/host_mirror.hpp"
#include "mm/matrix/new_matrix.hpp"
#include "mm/multiply/weighed_candidates.hpp"
#include "mm/triangles/triangle_blocks.hpp"
#include "mm/triangles/triangle_cover.hpp"
#include "mm/triangles/triangles.hpp"

#include <algorithm>
#include <complex>

namespace cuboid::detail {

namespace {

// Blocks of which each process has this many along an axis spread a triangle about evenly.
constexpr std::int64_t blocks_of_a_process = 8;

Layout cyclic_layout(std::int64_t n, const GridShape& grid) {
  const std::int64_t processes = std::max(grid.rows(), grid.columns());
  const std::int64_t block = std::max<std::int64_t>(n / (processes * blocks_of_a_process), 1);
  return Layout::block_cyclic(n, n, block, block, grid);
}

bool is_cyclic(const Layout& layout, const GridShape& grid) {
  const auto is_short = [](const auto& line) {
    return line.block() * line.processes() * (blocks_of_a_process / 2) <= line.extent();
  };
  return layout.grid() == grid && is_short(layout.rows()) && is_short(layout.columns());
}

// The seconds of a candidate, if it computed and communicated only shares, or multiples, of what it
// does. What overlaps is in proportion to the shorter of the two.
double seconds_of(const PlanCandidate& plan, double compute_share, double communicate_share) {
  const double least = std::min(plan.compute_seconds, plan.communicate_seconds);
  const double hidden = plan.compute_seconds + plan.communicate_seconds - plan.seconds;
  const double compute = compute_share * plan.compute_seconds;
  const double communicate = communicate_share * plan.communicate_seconds;
  const double overlap = least > 0 ? hidden / least : 0;
  return compute + communicate - overlap * std::min(compute, communicate);
}

// The ops of the factors in op(A)·mirror(op(B)).
Op left_of(Op op, Op mirror) {
  return op == Op::none ? Op::none : mirror;
}
Op right_of(Op op, Op mirror) {
  return op == Op::none ? mirror : Op::none;
}

// Of the whole product's multiplications, and of its words with C stationary, what the blocks of
// triangle_blocks() need.
constexpr double multiplications_of_blocks = 5.0 / 8;
constexpr double words_of_blocks = 2;

}  // namespace

template <MatrixElement T>
TrianglePass<T>::TrianglePass(const Layout& C, const GridShape& grid, std::int64_t panel_width)
    : cyclic_(is_cyclic(C, grid) ? C : cyclic_layout(C.n(), grid)), panel_width_(panel_width) {}

template <MatrixElement T>
std::optional<TrianglePass<T>> TrianglePass<T>::sooner_than_blocks(
    Op op, Op mirror, const Matrix<T>& A, const Matrix<T>* B, const Matrix<T>& C,
    const LocalGemm& gemm, const MultiplyOptions& options) {
  const Communicator& communicator = C.communicator();
  const ProductLayouts product{A.layout(), left_of(op, mirror), (B == nullptr ? A : *B).layout(),
                               right_of(op, mirror), C.layout()};
  const std::int64_t n = product.C.n();
  if (communicator.size() == 1 || product.size().k == 0 ||
      triangle_blocks(n, Triangle::lower, 1).size() == 1)
    return std::nullopt;
  const Candidates all = weighed_candidates<T>(communicator, product, gemm, options);
  const auto summa = std::ranges::find_if(*all, [](const PlanCandidate& candidate) {
    return candidate.algorithm == MultiplicationAlgorithm::summa && candidate.fits;
  });
  if (summa == all->end()) return std::nullopt;
  const double in_blocks = seconds_of(all->front(), multiplications_of_blocks, words_of_blocks);
  constexpr double share = 0.5 * (1 + 1.0 / blocks_of_a_process);
  if (seconds_of(*summa, share, 1) > in_blocks) return std::nullopt;
  return TrianglePass(product.C, summa->grid, summa->panel_width);
}

template <MatrixElement T>
void TrianglePass<T>::run(Triangle triangle, Op op, Op mirror, T alpha, const Matrix<T>& A,
                          const Matrix<T>* B, T beta, Matrix<T>& C, const LocalGemm& gemm) const {
  const Communicator& communicator = C.communicator();
  Matrix<T> sum = new_matrix<T>(communicator, cyclic_);
  std::optional<Matrix<T>> as_c;
  if (cyclic_ != C.layout()) as_c = new_matrix_like(C);
  const auto here = sum.position();
  const auto parts =
      here ? triangle_cover(cyclic_, *here, triangle) : std::vector<LocalRectangle>();
  const auto add = [&](T factor, const Matrix<T>& first, const Matrix<T>& second, T scale) {
    SummaMultiplication<T> pass(
        communicator, cyclic_.grid(),
        {first.layout(), left_of(op, mirror), second.layout(), right_of(op, mirror), cyclic_},
        panel_width_);
    pass.compute_only(parts);
    pass.run(factor, first, second, scale, sum, gemm);
  };
  HostMirror<T> of_a(A), of_c(C);
  of_c.fetch();
  if (B == nullptr) {
    add(alpha, of_a.get(), of_a.get(), T(0));
  } else {
    HostMirror<T> of_b(*B);
    add(alpha, of_a.get(), of_b.get(), T(0));
    add(mirror == Op::conjugate_transpose ? conjugate(alpha) : alpha, of_b.get(), of_a.get(), T(1));
  }
  if (as_c) redistribute_triangle<T>(Op::none, sum, triangle, OtherTriangle::undefined, *as_c);
  add_triangle<T>(triangle, T(1), as_c ? *as_c : sum, beta, of_c.get());
  if (mirror == Op::conjugate_transpose) make_diagonal_real<T>(of_c.get());
  of_c.give_back();
}

#define CUBOID_INSTANTIATE(T) template class TrianglePass<T>
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
