#include "mm/products/triangle_pass.hpp"

#include "mm/matrix/new_matrix.hpp"
#include "mm/multiply/candidate_cache.hpp"
#include "mm/triangles/triangle_blocks.hpp"
#include "mm/triangles/triangles.hpp"

#include <algorithm>
#include <complex>

namespace cuboid::detail {

namespace {

// If each process has this many blocks along an axis, all ranks have about the same share of a
// triangle.
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

// Of the whole product's multiplications, and of its words with C stationary, what the blocks of
// triangle_blocks() need.
constexpr double multiplications_of_blocks = 5.0 / 8;
constexpr double words_of_blocks = 2;

}  // namespace

template <MatrixElement T>
std::optional<PlanCandidate> pass_sooner_than_blocks(const Communicator& communicator,
                                                     const ProductLayouts& product,
                                                     const LocalGemm& gemm,
                                                     const MultiplyOptions& options) {
  if (communicator.size() == 1 || product.size().k == 0 ||
      triangle_blocks(product.C.n(), Triangle::lower, 1).size() == 1)
    return std::nullopt;
  const Candidates all = weighed_candidates<T>(communicator, product, gemm, options);
  const auto summa = std::ranges::find_if(*all, [](const PlanCandidate& candidate) {
    return candidate.algorithm == MultiplicationAlgorithm::summa && candidate.fits;
  });
  if (summa == all->end()) return std::nullopt;
  const double in_blocks = seconds_of(all->front(), multiplications_of_blocks, words_of_blocks);
  constexpr double share = 0.5 * (1 + 1.0 / blocks_of_a_process);
  if (seconds_of(*summa, share, 1) > in_blocks) return std::nullopt;
  return *summa;
}

template <MatrixElement T>
TrianglePass<T>::TrianglePass(Triangle triangle, Op left, Op right,
                              std::span<const UpdateTerm<T>> terms, const Matrix<T>& C,
                              const GridShape& grid, std::int64_t panel_width)
    : triangle_(triangle),
      cyclic_(new_matrix<T>(C.communicator(), is_cyclic(C.layout(), grid)
                                                  ? C.layout()
                                                  : cyclic_layout(C.n(), grid))) {
  if (cyclic_.layout() != C.layout()) as_c_ = new_matrix_like(C);
  const auto here = cyclic_.position();
  for (const UpdateTerm<T>& term : terms) {
    products_.push_back(std::make_unique<SummaMultiplication<T>>(
        C.communicator(), grid,
        ProductLayouts{term.left->layout(), left, term.right->layout(), right, cyclic_.layout()},
        panel_width));
    if (here) products_.back()->compute_only(triangle_cover(cyclic_.layout(), *here, triangle));
  }
}

template <MatrixElement T>
const Matrix<T>& TrianglePass<T>::run(std::span<const UpdateTerm<T>> terms, const LocalGemm& gemm) {
  for (std::size_t number = 0; number < terms.size(); ++number) {
    const UpdateTerm<T>& term = terms[number];
    products_[number]->run(term.alpha, *term.left, *term.right, T(number == 0 ? 0 : 1), cyclic_,
                           gemm);
  }
  if (!as_c_) return cyclic_;
  redistribute_triangle<T>(Op::none, cyclic_, triangle_, OtherTriangle::undefined, *as_c_);
  return *as_c_;
}

#define CUBOID_INSTANTIATE(T)                                                                \
  template std::optional<PlanCandidate> pass_sooner_than_blocks<T>(                          \
      const Communicator&, const ProductLayouts&, const LocalGemm&, const MultiplyOptions&); \
  template class TrianglePass<T>
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
