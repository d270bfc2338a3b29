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

/// What is given to a named algorithm that it has no use for is left aside; `automatic` chooses
/// among those that have a use for all of it.
struct MultiplyOptions {
  MultiplicationAlgorithm algorithm = MultiplicationAlgorithm::automatic;
  /// The process grid of algorithms that multiply on a two-dimensional one. Unset: the cheapest.
  std::optional<GridShape> grid = std::nullopt;
  /// COSMA's bricks: rows × columns × layers. Unset: fitted.
  std::optional<std::array<int, 3>> bricks = std::nullopt;
  /// SUMMA's panel width, >= 1, also HSUMMA's and 2.5D's. Unset: default_panel_width, half of it
  /// where panels cross a network, all of k on a single rank.
  std::optional<std::int64_t> panel_width = std::nullopt;
  /// HSUMMA's width between groups, >= its panel width. Unset: four panels.
  std::optional<std::int64_t> outer_width = std::nullopt;
  /// HSUMMA's groups. Unset: the cheapest.
  GroupChoice groups = {};
  /// 2.5D's layers, >= 1, and what multiplies inside them. Unset: the cheapest that fit.
  std::optional<int> layers = std::nullopt;
  std::optional<LayerAlgorithm> inside = std::nullopt;
  /// Rounds in which COSMA's and CARMA's operands arrive, 1 to k. Unset: as suits overlap and
  /// memory.
  std::optional<int> rounds = std::nullopt;
  /// Bytes per rank for its shares of the matrices and what is on its way. Unset: no limit.
  std::optional<std::int64_t> memory_limit = std::nullopt;
  /// How blocks come to a rank in COSMA, CARMA and SD-Cannon.
  Sidedness sides = Sidedness::two_sided;
};

/// What a multiplication did.
struct Report {
  std::string algorithm;  ///< "summa"; "scale" where α = 0 or k = 0 left nothing to multiply
  /// What was expected of it; nullptr where nothing had to be planned.
  std::shared_ptr<const PlanCandidate> plan = nullptr;
  PhaseSeconds seconds = {};  ///< of this rank
  /// The groups that HSUMMA found best where it was to try; nullopt where it was not.
  std::optional<GroupShape> sampled_groups = std::nullopt;
};

/// "summa on 2x3: distribute 0.010 s, broadcast 0.120 s, gemm 1.500 s".
std::string to_string(const Report& report);

/// What the planner is to choose for, as the options say it, for matrices that are not laid out
/// yet. Throws Error(invalid_argument) for options that make no sense.
PlanRequest plan_request(const ProductSize& size, std::size_t element_bytes, int ranks,
                         const MultiplyOptions& options);

/// The candidates for a request: those of the algorithm that the options name, or of all that can
/// be run and heed them. None where there is no algorithm for what was fixed. Throws what
/// plan_candidates() does.
std::vector<PlanCandidate> candidates_for(const PlanRequest& request, const Rates& rates,
                                          const MultiplyOptions& options);

/// A multiplication planned, its memory and communicators made: run as often as wanted, from the
/// second time on it plans and allocates no more. (But for matrices that do not lie as the
/// algorithm wants them: bringing each there takes lists and two buffers of at most 32 MiB.) It may
/// hold memory that other ranks read (Window): destroy it on all ranks.
///
///   MultiplicationPlan<double> plan(communicator, {A.layout(), Op::none, B.layout(), Op::none,
///                                                  C.layout()}, gemm);
///   plan.run(1.0, A, B, 0.0, C);
template <MatrixElement T>
class MultiplicationPlan {
 public:
  /// Collective over `communicator`, that of the matrices. Throws Error(invalid_argument) on every
  /// rank where shapes do not multiply or the options make no sense, Error(out_of_memory) where
  /// nothing fits the memory limit, saying what would, or a rank has no room.
  MultiplicationPlan(const Communicator& communicator, const ProductLayouts& product,
                     const LocalGemm& gemm, const MultiplyOptions& options = {});

  /// A multiplication as the first of the candidates, on layouts that it takes where they lie or
  /// any others. Collective; errors as above, Error(invalid_argument) where there are none.
  MultiplicationPlan(const Communicator& communicator, const ProductLayouts& product,
                     const LocalGemm& gemm, std::vector<PlanCandidate> candidates);

  /// C ← α·op(A)·op(B) + β·C for matrices with the communicator and the layouts planned for, op()
  /// as planned. Collective. Throws Error(invalid_argument) for others. C lies apart from A and B
  /// in memory: that is not asked of all ranks each time, as multiply() does.
  Report run(std::type_identity_t<T> alpha, const Matrix<T>& A, const Matrix<T>& B,
             std::type_identity_t<T> beta, Matrix<T>& C);

  /// All that were weighed, the chosen one first.
  const std::vector<PlanCandidate>& candidates() const { return *candidates_; }
  const PlanCandidate& chosen() const { return candidates_->front(); }

 private:
  Communicator communicator_;
  ProductLayouts product_;
  LocalGemm gemm_;
  std::shared_ptr<const std::vector<PlanCandidate>> candidates_;  // reports refer to it
  std::unique_ptr<Multiplication<T>> multiplication_;
};

/// C ← α·op(A)·op(B) + β·C for matrices in any layouts, C's layout staying as it is. Collective
/// over their communicator. As in BLAS: β = 0 does not read C, α = 0 or k = 0 does not read A or B.
///
///   multiply(1.0, A, transpose(B), 0.0, C, gemm);
///
/// The algorithm is the cheapest for these layouts, unless the options name one. Plans anew each
/// time: where the same product is computed again and again, make a MultiplicationPlan. Throws
/// Error(invalid_argument), on every rank and before anything is done, where shapes do not
/// multiply, C is A or B, communicators differ or the options make no sense; Error(out_of_memory)
/// on every rank when one has no room or nothing fits the limit; what communication throws.
template <MatrixElement T>
Report multiply(std::type_identity_t<T> alpha, std::type_identity_t<Operand<T>> A,
                std::type_identity_t<Operand<T>> B, std::type_identity_t<T> beta, Matrix<T>& C,
                const LocalGemm& gemm, const MultiplyOptions& options = {});

}  // namespace cuboid
