#pragma once

#include <cuboid/export.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/multiply_options.hpp>
#include <cuboid/product_layouts.hpp>

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace cuboid {

namespace detail {
struct PlanCandidate;
template <MatrixElement T>
class Multiplication;
}  // namespace detail

/// What a multiplication did.
struct Report {
  std::string algorithm;  ///< "summa"; "scale" where α = 0 or k = 0 left nothing to multiply
  double predicted_seconds = 0;  ///< 0 where nothing had to be planned
  /// For Cuboid's own tools: what was expected of it; nullptr where nothing had to be planned.
  std::shared_ptr<const detail::PlanCandidate> plan = nullptr;
  PhaseSeconds seconds = {};  ///< of this rank
  /// The groups that HSUMMA found best where it was to try; nullopt where it was not.
  std::optional<GroupShape> sampled_groups = std::nullopt;
};

/// "summa on 2x3: distribute 0.010 s, broadcast 0.120 s, gemm 1.500 s".
CUBOID_API std::string to_string(const Report& report);

/// A multiplication planned, its memory and communicators made: run as often as wanted, from the
/// second time on it plans and allocates no more. (But for matrices that do not lie as the
/// algorithm wants them: bringing each there takes lists and two buffers of at most 32 MiB.) It may
/// hold memory that other ranks read (Window): destroy it on all ranks.
///
///   MultiplicationPlan<double> plan(communicator, {A.layout(), Op::none, B.layout(), Op::none,
///                                                  C.layout()}, gemm);
///   plan.run(1.0, A, B, 0.0, C);
template <MatrixElement T>
class CUBOID_API MultiplicationPlan {
 public:
  /// Collective over `communicator`, that of the matrices. Throws Error(invalid_argument) on every
  /// rank where shapes do not multiply or the options make no sense, Error(out_of_memory) where
  /// nothing fits the memory limit, saying what would, or a rank has no room.
  MultiplicationPlan(const Communicator& communicator, const ProductLayouts& product,
                     const LocalGemm& gemm, const MultiplyOptions& options = {});

  /// For Cuboid's own tools: a multiplication as the first of the candidates, on layouts that it
  /// takes where they lie or any others. Collective; errors as above, Error(invalid_argument) where
  /// there are none.
  MultiplicationPlan(const Communicator& communicator, const ProductLayouts& product,
                     const LocalGemm& gemm, std::vector<detail::PlanCandidate> candidates);
  ~MultiplicationPlan();
  MultiplicationPlan(MultiplicationPlan&&) noexcept;
  MultiplicationPlan& operator=(MultiplicationPlan&&) noexcept;

  /// C ← α·op(A)·op(B) + β·C for matrices with the communicator and the layouts planned for, op()
  /// as planned. Collective. Throws Error(invalid_argument) for others. C lies apart from A and B
  /// in memory: that is not asked of all ranks each time, as multiply() does.
  Report run(std::type_identity_t<T> alpha, const Matrix<T>& A, const Matrix<T>& B,
             std::type_identity_t<T> beta, Matrix<T>& C);

  /// What was chosen, e.g. "summa on 2x3".
  std::string description() const;
  /// What one run should take.
  double predicted_seconds() const;

  /// For Cuboid's own tools: all that were weighed, the chosen one first.
  const std::vector<detail::PlanCandidate>& candidates() const { return *candidates_; }
  const detail::PlanCandidate& chosen() const;

 private:
  Communicator communicator_;
  ProductLayouts product_;
  LocalGemm gemm_;
  std::shared_ptr<const std::vector<detail::PlanCandidate>> candidates_;  // reports refer to it
  std::unique_ptr<detail::Multiplication<T>> multiplication_;
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
CUBOID_API Report multiply(std::type_identity_t<T> alpha, std::type_identity_t<Operand<T>> A,
                           std::type_identity_t<Operand<T>> B, std::type_identity_t<T> beta,
                           Matrix<T>& C, const LocalGemm& gemm,
                           const MultiplyOptions& options = {});

}  // namespace cuboid
