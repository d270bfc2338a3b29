#pragma once

#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/multiply_options.hpp>
#include <cuboid/product_layouts.hpp>

#include "mm/multiplication/multiplication.hpp"
#include "mm/plan/planner.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace cuboid {

/// Options of a multiplication. A named algorithm ignores options that do not concern it;
/// `automatic` considers only the algorithms that heed all options given.
struct MultiplyOptions {
  MultiplicationAlgorithm algorithm = MultiplicationAlgorithm::automatic;
  /// The process grid of algorithms that use a two-dimensional one. Unset: the cheapest.
  std::optional<GridShape> grid = std::nullopt;
  /// COSMA's grid: rows × columns × layers. Unset: the cheapest.
  std::optional<std::array<int, 3>> bricks = std::nullopt;
  /// Panel width of SUMMA, HSUMMA and 2.5D, >= 1. Unset: default_panel_width; half of it over a
  /// network; all of k on a single rank.
  std::optional<std::int64_t> panel_width = std::nullopt;
  /// HSUMMA's panel width between groups, >= panel_width. Unset: four times that.
  std::optional<std::int64_t> outer_width = std::nullopt;
  /// HSUMMA's groups. Unset: the cheapest.
  GroupChoice groups = {};
  /// 2.5D's number of layers, >= 1. Unset: the cheapest that fits the memory limit.
  std::optional<int> layers = std::nullopt;
  /// The algorithm inside 2.5D's layers. Unset: the cheapest that fits the memory limit.
  std::optional<LayerAlgorithm> inside = std::nullopt;
  /// Number of rounds in which COSMA's and CARMA's operands arrive, 1 to k. Unset: chosen by
  /// overlap and memory.
  std::optional<int> rounds = std::nullopt;
  /// Memory in bytes per rank for its parts of the matrices and all buffers. Unset: no limit.
  std::optional<std::int64_t> memory_limit = std::nullopt;
  /// Whether COSMA, CARMA and SD-Cannon communicate one-sided.
  Sidedness sides = Sidedness::two_sided;
};

/// The report of a multiplication.
struct Report {
  std::string algorithm;  ///< e.g. "summa"; "scale" if α = 0 or k = 0 left nothing to multiply
  /// The plan with its predictions; nullptr if nothing had to be planned.
  std::shared_ptr<const PlanCandidate> plan = nullptr;
  PhaseSeconds seconds = {};  ///< of this rank
  /// The groups that HSUMMA measured as the fastest; nullopt if it did not measure.
  std::optional<GroupShape> sampled_groups = std::nullopt;
};

/// "summa on 2x3: distribute 0.010 s, broadcast 0.120 s, gemm 1.500 s".
std::string to_string(const Report& report);

/// The planner's request for matrices without layouts yet. Throws Error(invalid_argument) for
/// invalid options.
PlanRequest plan_request(const ProductSize& size, std::size_t element_bytes, int ranks,
                         const MultiplyOptions& options);

/// The candidates for a request: those of the algorithm that the options name, or of all algorithms
/// that can run and heed the options. Empty if there are none. Throws as plan_candidates().
std::vector<PlanCandidate> candidates_for(const PlanRequest& request, const Rates& rates,
                                          const MultiplyOptions& options);

/// A multiplication that is planned once and run many times. Its memory and communicators are made
/// by the constructor and the first run; later runs allocate nothing, except to redistribute
/// matrices whose layouts the algorithm cannot use (lists and two buffers of at most 32 MiB each).
/// It may hold memory that other ranks read (Window), so all ranks must destroy it.
///
///   MultiplicationPlan<double> plan(communicator, {A.layout(), Op::none, B.layout(), Op::none,
///                                                  C.layout()}, gemm);
///   plan.run(1.0, A, B, 0.0, C);
template <MatrixElement T>
class MultiplicationPlan {
 public:
  /// Plans for matrices with these layouts. Collective over `communicator`, that of the matrices.
  /// Throws on every rank: Error(invalid_argument) if the shapes do not multiply or the options are
  /// invalid; Error(out_of_memory) if no plan fits the memory limit (with the limit that would do)
  /// or a rank lacks memory.
  MultiplicationPlan(const Communicator& communicator, const ProductLayouts& product,
                     const LocalGemm& gemm, const MultiplyOptions& options = {});

  /// Uses the first of the candidates, for any layouts. Collective. Errors as above, and
  /// Error(invalid_argument) if there are no candidates.
  MultiplicationPlan(const Communicator& communicator, const ProductLayouts& product,
                     const LocalGemm& gemm, std::vector<PlanCandidate> candidates);

  /// C ← α·op(A)·op(B) + β·C with the operations planned. Collective. Throws
  /// Error(invalid_argument) for matrices with another communicator or other layouts than planned.
  /// C must not share memory with A or B; unlike multiply(), run() does not check that on all
  /// ranks.
  Report run(std::type_identity_t<T> alpha, const Matrix<T>& A, const Matrix<T>& B,
             std::type_identity_t<T> beta, Matrix<T>& C);

  /// All candidates considered, the chosen one first.
  const std::vector<PlanCandidate>& candidates() const { return *candidates_; }
  const PlanCandidate& chosen() const { return candidates_->front(); }

 private:
  Communicator communicator_;
  ProductLayouts product_;
  LocalGemm gemm_;
  std::shared_ptr<const std::vector<PlanCandidate>> candidates_;  // reports refer to it
  std::unique_ptr<Multiplication<T>> multiplication_;
};

/// C ← α·op(A)·op(B) + β·C for matrices in any layouts. op(A) is m×k, op(B) k×n, C m×n. C keeps its
/// layout. Collective over their communicator. As in BLAS, β = 0 does not read C, and α = 0 or k =
/// 0 does not read A or B.
///
///   multiply(1.0, A, transpose(B), 0.0, C, gemm);
///
/// The algorithm is the cheapest for these layouts, unless the options name one. Each call plans
/// anew; for repeated products make a MultiplicationPlan. Throws on every rank, before anything is
/// done: Error(invalid_argument) if the shapes do not multiply, C is A or B, the communicators
/// differ or the options are invalid; Error(out_of_memory) if a rank lacks memory or no plan fits
/// the limit. Also throws what communication throws.
template <MatrixElement T>
Report multiply(std::type_identity_t<T> alpha, std::type_identity_t<Operand<T>> A,
                std::type_identity_t<Operand<T>> B, std::type_identity_t<T> beta, Matrix<T>& C,
                const LocalGemm& gemm, const MultiplyOptions& options = {});

}  // namespace cuboid
