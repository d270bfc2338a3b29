#pragma once

#include <cuboid/export.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/multiply_options.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace cuboid {

namespace detail {
struct PlanCandidate;
template <MatrixElement T>
class Multiplication;
}  // namespace detail

/// "auto", "summa", "hsumma", "cannon", "sd-cannon", "srumma", "2.5d", "carma", "cosma",
/// "stationary-a" or "stationary-b".
CUBOID_API std::string_view to_string(MultiplicationAlgorithm algorithm);

/// Reads a name that to_string() writes. Throws Error(parse), which lists the names, for any other
/// text.
CUBOID_API MultiplicationAlgorithm parse_multiplication_algorithm(std::string_view text);

/// All algorithms except automatic.
CUBOID_API std::span<const MultiplicationAlgorithm> multiplication_algorithms();

/// The report of a multiplication.
struct Report {
  std::string algorithm;  ///< e.g. "summa"; "scale" if α = 0 or k = 0 left nothing to multiply
  double predicted_seconds = 0;  ///< 0 if nothing had to be planned
  /// For Cuboid's own tools: the plan with its predictions; nullptr if nothing had to be planned.
  std::shared_ptr<const detail::PlanCandidate> plan = nullptr;
  PhaseSeconds seconds = {};  ///< the times of this rank
  /// The groups that HSUMMA measured as the fastest; nullopt if HSUMMA did not measure.
  std::optional<GroupShape> sampled_groups = std::nullopt;
};

/// "summa on 2x3: distribute 0.010 s, broadcast 0.120 s, gemm 1.500 s".
CUBOID_API std::string to_string(const Report& report);

/// A multiplication that is planned once and run many times. The constructor and the first run make
/// its memory and communicators. Later runs allocate nothing, except to redistribute matrices whose
/// layouts the algorithm cannot use (lists and two buffers of at most 24 MiB each). It may hold
/// memory that other ranks read (Window), so all ranks must destroy it.
///
///   MultiplicationPlan<double> plan(communicator, {A.layout(), Op::none, B.layout(), Op::none,
///                                                  C.layout()}, gemm);
///   plan.run(1.0, A, B, 0.0, C);
template <MatrixElement T>
class CUBOID_API MultiplicationPlan {
 public:
  /// Plans for matrices with these layouts. Collective over `communicator`, the communicator of the
  /// matrices. Throws on every rank: Error(invalid_argument) if the shapes do not multiply or the
  /// options are invalid; Error(out_of_memory) if no plan fits the memory limit (with the limit
  /// that would suffice) or a rank lacks memory.
  MultiplicationPlan(const Communicator& communicator, const ProductLayouts& product,
                     const LocalGemm& gemm, const MultiplyOptions& options = {});

  /// For Cuboid's own tools: uses the first of the candidates. The candidates are for a product of
  /// this size, in any layouts. Collective. Throws Error(invalid_argument) if there are no
  /// candidates, Error(out_of_memory) as above.
  MultiplicationPlan(const Communicator& communicator, const ProductLayouts& product,
                     const LocalGemm& gemm, std::vector<detail::PlanCandidate> candidates);
  ~MultiplicationPlan();
  MultiplicationPlan(MultiplicationPlan&&) noexcept;
  MultiplicationPlan& operator=(MultiplicationPlan&&) noexcept;

  /// C ← α·op(A)·op(B) + β·C with the operations that were planned. Collective. Throws
  /// Error(invalid_argument) for matrices with another communicator or other layouts than planned.
  /// C must not share memory with A or B; unlike multiply(), run() does not check that on all
  /// ranks.
  Report run(std::type_identity_t<T> alpha, const Matrix<T>& A, const Matrix<T>& B,
             std::type_identity_t<T> beta, Matrix<T>& C);

  /// The algorithm that was chosen, never `automatic`.
  MultiplicationAlgorithm algorithm() const;
  /// The algorithm and its grid, e.g. "summa on 2x3".
  std::string description() const;
  /// The predicted seconds of one run.
  double predicted_seconds() const;

  /// For Cuboid's own tools: all candidates that were considered, the chosen one first.
  const std::vector<detail::PlanCandidate>& candidates() const { return *candidates_; }
  const detail::PlanCandidate& chosen() const;

 private:
  MultiplicationPlan(const Communicator& communicator, const ProductLayouts& product,
                     const LocalGemm& gemm,
                     std::shared_ptr<const std::vector<detail::PlanCandidate>> candidates);

  bool keeps_panels_with(const Matrix<T>& A, const Matrix<T>& B, const Matrix<T>& C);

  Communicator communicator_;
  ProductLayouts product_;
  LocalGemm gemm_;
  std::shared_ptr<const std::vector<detail::PlanCandidate>> candidates_;  // reports refer to it
  std::unique_ptr<detail::Multiplication<T>> multiplication_;
  bool panels_stay_on_host_ = false;  // a device had no memory for them
};

/// C ← α·op(A)·op(B) + β·C for matrices and views in any layouts. op(A) is m×k, op(B) k×n, C m×n. C
/// keeps its layout. Collective over their communicator. As in BLAS, β = 0 does not read C, and α =
/// 0 or k = 0 does not read A or B.
///
///   multiply(1.0, A, transpose(B), 0.0, C, gemm);
///
/// The algorithm is the cheapest for these layouts, unless the options name one. The communicator
/// keeps the plan for later equal calls, but each call allocates its memory anew: for repeated
/// products make a MultiplicationPlan. Throws on every rank, before anything is done:
/// Error(invalid_argument) if the shapes do not multiply, C is A or B, the communicators differ or
/// the options are invalid; Error(out_of_memory) if a rank lacks memory or no plan fits the limit.
/// Also throws what communication throws.
template <MatrixElement T>
CUBOID_API Report multiply(std::type_identity_t<T> alpha, std::type_identity_t<Operand<T>> A,
                           std::type_identity_t<Operand<T>> B, std::type_identity_t<T> beta,
                           Matrix<T>& C, const LocalGemm& gemm,
                           const MultiplyOptions& options = {});
/// multiply() with a view as C; the view may be a temporary.
template <MatrixElement T>
Report multiply(std::type_identity_t<T> alpha, std::type_identity_t<Operand<T>> A,
                std::type_identity_t<Operand<T>> B, std::type_identity_t<T> beta, MatrixView<T>&& C,
                const LocalGemm& gemm, const MultiplyOptions& options = {}) {
  return multiply<T>(alpha, A, B, beta, static_cast<Matrix<T>&>(C), gemm, options);
}

}  // namespace cuboid
