#include <cuboid/error.hpp>
#include <cuboid/multiply.hpp>

#include "base/closest_name.hpp"
#include "base/stopwatch.hpp"
#include "collectives/communicator/collective_try.hpp"
#include "collectives/communicator/exchanges.hpp"
#include "mm/local/on_device.hpp"
#include "mm/local/panel_place.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/host_mirror.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/matrix/local_views.hpp"
#include "mm/matrix/ranks.hpp"
#include "mm/multiply/candidate_cache.hpp"
#include "mm/multiply/make_multiplication.hpp"
#include "mm/multiply/plan_request.hpp"
#include "mm/multiply/plan_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid {

using namespace detail;

namespace {

constexpr std::string_view automatic_name = "auto";

[[noreturn]] void refuse_product(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, "multiply: " + message);
}

template <MatrixElement T>
void check_operand(const char* name, const Operand<T>& operand, const Matrix<T>& C) {
  if (&operand.matrix == &C) {
    refuse_product(fmt::format(
        "C is the same matrix as {0}, which is read while C is written: give another matrix",
        name));
  }
  if (!same_communicator(operand.matrix.communicator(), C.communicator())) {
    refuse_product(fmt::format(
        "{} and C have different communicators: make all matrices with the same one", name));
  }
}

/// Checks that an operand shares no memory with C: different Matrix objects may wrap the same
/// memory of the caller.
template <MatrixElement T>
void check_apart(const char* name, const Matrix<T>& operand, const Matrix<T>& C) {
  if (!overlap<T>(operand.local(), C.local())) return;
  refuse_product(
      fmt::format("rank {}: C shares memory with {}, which is read while C is written: give C "
                  "memory of its own",
                  C.communicator().rank(), name, name));
}

/// Checks a leading dimension before anything is sent: if only one rank's gemm refused it, the
/// other ranks would wait for that rank.
void check_leading_dimension(const char* name, std::int64_t leading_dimension,
                             const LocalGemm& gemm) {
  const std::int64_t largest = gemm.largest_leading_dimension();
  if (leading_dimension <= largest) return;
  refuse_product(fmt::format(
      "{0}'s leading dimension is {1}, but the BLAS library's integers hold {2}: distribute its "
      "rows over more ranks, or set CUBOID_BLAS to a 64-bit-integer library",
      name, leading_dimension, largest));
}

template <MatrixElement T>
bool has_elements(const Matrix<T>& matrix) {
  return matrix.local_rows() > 0 && matrix.local_columns() > 0;
}

/// The device in whose memory this rank's parts of the matrices lie, those without elements left
/// out; nullopt if there is none.
template <MatrixElement T>
std::optional<int> common_device(const Matrix<T>& A, const Matrix<T>& B, const Matrix<T>& C) {
  std::optional<int> common;
  for (const Matrix<T>* matrix : {&A, &B, &C}) {
    if (!has_elements(*matrix)) continue;
    const std::optional<int> device = matrix->device();
    if (!device || (common && device != common)) return std::nullopt;
    common = device;
  }
  return common;
}

/// True if every rank's parts of the matrices, as far as it has any, lie on one device. Collective.
template <MatrixElement T>
bool lie_on_devices(const Matrix<T>& A, const Matrix<T>& B, const Matrix<T>& C) {
  const bool nothing = !has_elements(A) && !has_elements(B) && !has_elements(C);
  std::array all_do{nothing || common_device(A, B, C) ? 1 : 0};
  allreduce_in_place(C.communicator(), all_do, Reduction::Kind::minimum);
  return all_do.front() != 0;
}

/// Checks the local rows of all ranks, which every rank knows.
void check_local_rows(const ProductLayouts& product, const LocalGemm& gemm) {
  const auto check = [&](const char* name, const Layout& layout) {
    for (int row = 0; row < layout.grid().rows(); ++row)
      check_leading_dimension(name, layout.rows().local_extent(row), gemm);
  };
  check("A", product.A);
  check("B", product.B);
  check("C", product.C);
}

void check_candidates(const std::vector<PlanCandidate>& candidates, std::size_t element_bytes) {
  if (candidates.empty()) refuse_product("the options leave no candidate: give other options");
  if (candidates.front().fits) return;
  throw Error(
      ErrorCode::out_of_memory,
      fmt::format("multiply: no candidate fits the memory limit: allow {:.0f} bytes per rank",
                  std::ceil(candidates.front().memory) * static_cast<double>(element_bytes)));
}

}  // namespace

std::string_view to_string(MultiplicationAlgorithm algorithm) {
  return algorithm == MultiplicationAlgorithm::automatic ? automatic_name
                                                         : entry_of(algorithm).name;
}

std::span<const MultiplicationAlgorithm> multiplication_algorithms() {
  static const std::vector<MultiplicationAlgorithm> all = [] {
    std::vector<MultiplicationAlgorithm> algorithms;
    for (const MultiplicationEntry& entry : multiplication_table())
      algorithms.push_back(entry.algorithm);
    return algorithms;
  }();
  return all;
}

MultiplicationAlgorithm parse_multiplication_algorithm(std::string_view text) {
  if (text == automatic_name) return MultiplicationAlgorithm::automatic;
  std::vector<std::string> names{std::string(automatic_name)};
  for (const MultiplicationEntry& entry : multiplication_table()) {
    if (text == entry.name) return entry.algorithm;
    names.emplace_back(entry.name);
  }
  throw Error(ErrorCode::parse, fmt::format("algorithm '{}'{}: give one of {}", text,
                                            did_you_mean(text, names), fmt::join(names, ", ")));
}

template <MatrixElement T>
MultiplicationPlan<T>::MultiplicationPlan(const Communicator& communicator,
                                          const ProductLayouts& product, const LocalGemm& gemm,
                                          const MultiplyOptions& options)
    : MultiplicationPlan(communicator, product, gemm,
                         weighed_candidates<T>(communicator, product, gemm, options)) {}

template <MatrixElement T>
MultiplicationPlan<T>::MultiplicationPlan(const Communicator& communicator,
                                          const ProductLayouts& product, const LocalGemm& gemm,
                                          std::vector<PlanCandidate> candidates)
    : MultiplicationPlan(
          communicator, product, gemm,
          std::make_shared<const std::vector<PlanCandidate>>(std::move(candidates))) {}

template <MatrixElement T>
MultiplicationPlan<T>::MultiplicationPlan(const Communicator& communicator,
                                          const ProductLayouts& product, const LocalGemm& gemm,
                                          Candidates candidates)
    : communicator_(communicator),
      product_(product),
      gemm_(gemm),
      candidates_(std::move(candidates)) {
  check_local_rows(product, gemm);
  check_candidates(*candidates_, sizeof(T));
  multiplication_ = make_multiplication<T>(communicator, product, chosen());
  if (product.size().k > 0) multiplication_->prepare(gemm_);
}

template <MatrixElement T>
MultiplicationPlan<T>::~MultiplicationPlan() = default;
template <MatrixElement T>
MultiplicationPlan<T>::MultiplicationPlan(MultiplicationPlan&&) noexcept = default;
template <MatrixElement T>
MultiplicationPlan<T>& MultiplicationPlan<T>::operator=(MultiplicationPlan&&) noexcept = default;

template <MatrixElement T>
const PlanCandidate& MultiplicationPlan<T>::chosen() const {
  return candidates_->front();
}

template <MatrixElement T>
MultiplicationAlgorithm MultiplicationPlan<T>::algorithm() const {
  return chosen().algorithm;
}

template <MatrixElement T>
std::string MultiplicationPlan<T>::description() const {
  return fmt::format("{} on {}", to_string(chosen().algorithm), describe_grid(chosen()));
}

template <MatrixElement T>
double MultiplicationPlan<T>::predicted_seconds() const {
  return chosen().seconds;
}

/// Has panels kept where this rank's parts of the matrices lie. Returns false if the parts must be
/// copied to the host: if only some lie on the device that multiplies, if the algorithm needs them
/// there, or if the device has no memory for panels.
template <MatrixElement T>
bool MultiplicationPlan<T>::keeps_panels_with(const Matrix<T>& A, const Matrix<T>& B,
                                              const Matrix<T>& C) {
  const std::optional<int> device = common_device(A, B, C);
  if (device && !panels_stay_on_host_ && device == device_number(gemm_)) {
    try {
      if (multiplication_->keep_panels_at(PanelPlace::on_device_of(gemm_))) return true;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::out_of_memory) throw;
      panels_stay_on_host_ = true;
      communicator_.logger().warn(
          fmt::format("multiply: {}; the matrices are copied to the host", error.what()));
    }
  }
  multiplication_->keep_panels_at(PanelPlace());
  return !(on_device(A) || on_device(B) || on_device(C));
}

template <MatrixElement T>
Report MultiplicationPlan<T>::run(std::type_identity_t<T> alpha, const Matrix<T>& A,
                                  const Matrix<T>& B, std::type_identity_t<T> beta, Matrix<T>& C) {
  if (!same_communicator(C.communicator(), communicator_)) {
    refuse_product("the matrices have another communicator than the plan: make a plan for theirs");
  }
  if (A.layout() != product_.A || B.layout() != product_.B || C.layout() != product_.C) {
    refuse_product("a matrix has another layout than the plan: make a plan for it");
  }
  check_operand<T>("A", A, C);
  check_operand<T>("B", B, C);
  const std::shared_ptr<const PlanCandidate> plan(candidates_, &chosen());
  if (alpha == T(0) || product_.size().k == 0) {
    HostMirror<T> of_c(C);
    if (beta != T(0)) of_c.fetch();
    scale(beta, of_c.get().local());
    of_c.give_back();
    return {"scale", 0, plan};
  }
  Report report{std::string(to_string(plan->algorithm)), plan->seconds, plan, {}, {}};
  if (communicator_.size() == 1) {
    // On a single rank the device multiplies in one product, wherever the matrices lie.
    const Stopwatch watch(report.seconds.gemm);
    const auto& [m, n, k] = product_.size();
    const GemmCall<T> call{product_.op_a,
                           product_.op_b,
                           m,
                           n,
                           k,
                           alpha,
                           A.data(),
                           A.leading_dimension(),
                           B.data(),
                           B.leading_dimension(),
                           beta,
                           C.data(),
                           C.leading_dimension()};
    const bool there = on_device(A) || on_device(B) || on_device(C);
    if (m > 0 && n > 0 && (!there || can_multiply_on_device(gemm_)) &&
        multiply_on_device(gemm_, call, GemmProgress()))
      return report;
  }
  if (keeps_panels_with(A, B, C)) {
    report.seconds = multiplication_->run(alpha, A, B, beta, C, gemm_);
  } else {
    HostMirror<T> of_a(A), of_b(B), of_c(C);
    if (beta != T(0)) of_c.fetch();
    report.seconds = multiplication_->run(alpha, of_a.get(), of_b.get(), beta, of_c.get(), gemm_);
    of_c.give_back();
  }
  report.sampled_groups = multiplication_->sampled_groups();
  return report;
}

template <MatrixElement T>
Report multiply(std::type_identity_t<T> alpha, std::type_identity_t<Operand<T>> A,
                std::type_identity_t<Operand<T>> B, std::type_identity_t<T> beta, Matrix<T>& C,
                const LocalGemm& gemm, const MultiplyOptions& options) {
  check_operand("A", A, C);
  check_operand("B", B, C);
  const Communicator& communicator = C.communicator();
  const ProductLayouts product{A.matrix.layout(), A.op, B.matrix.layout(), B.op, C.layout()};
  const PlanRequest request = plan_request(product, sizeof(T), communicator.size(), options);
  if (alpha == T(0) || A.n() == 0) {
    check_request(request);
    HostMirror<T> of_c(C);
    if (beta != T(0)) of_c.fetch();
    scale(beta, of_c.get().local());
    of_c.give_back();
    return {"scale"};
  }
  collective_try(communicator, [&] {
    check_apart<T>("A", A.matrix, C);
    check_apart<T>("B", B.matrix, C);
    check_leading_dimension("A", A.matrix.local().leading_dimension, gemm);
    check_leading_dimension("B", B.matrix.local().leading_dimension, gemm);
    check_leading_dimension("C", C.local().leading_dimension, gemm);
  });
  MultiplyOptions chosen = options;
  if (communicator.size() > 1 && options.algorithm == MultiplicationAlgorithm::automatic)
    chosen.on_devices = lie_on_devices(A.matrix, B.matrix, C);
  MultiplicationPlan<T> plan(communicator, product, gemm, chosen);
  return plan.run(alpha, A.matrix, B.matrix, beta, C);
}

std::string to_string(const Report& report) {
  std::string what = report.plan
                         ? fmt::format("{} on {}", report.algorithm, describe_grid(*report.plan))
                         : report.algorithm;
  if (report.sampled_groups) what += fmt::format(": {}", to_string(*report.sampled_groups));
  return fmt::format("{}: distribute {:.3f} s, broadcast {:.3f} s, gemm {:.3f} s", what,
                     report.seconds.distribute, report.seconds.broadcast, report.seconds.gemm);
}

#define CUBOID_INSTANTIATE(T)                                                            \
  template class MultiplicationPlan<T>;                                                  \
  template Report multiply<T>(std::type_identity_t<T>, std::type_identity_t<Operand<T>>, \
                              std::type_identity_t<Operand<T>>, std::type_identity_t<T>, \
                              Matrix<T>&, const LocalGemm&, const MultiplyOptions&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid
