#include "mm/plan/rates.hpp"

#include <cuboid/allreduce.hpp>
#include <cuboid/barrier.hpp>

#include "base/clock.hpp"
#include "collectives/communicator/communicator_state.hpp"
#include "mm/matrix/aligned_memory.hpp"
#include "mm/matrix/on_one_node.hpp"
#include "models/messages/measured.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <complex>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

/// Times one gemm of each of these ranks, on operands that no cache near the core holds, as panels
/// that have just come. The time is from when the first rank begins until the last is done: where
/// ranks share cores, as those of emulated nodes do, one of them may have had its core for itself.
template <MatrixElement T>
class GemmTime {
 public:
  static constexpr std::int64_t widest = 256, depth = 256;

  GemmTime(const Communicator& communicator, const LocalGemm& gemm)
      : communicator_(communicator),
        gemm_(gemm),
        operands_(kept, "a measurement of the local gemm"),
        C_(widest * widest, "a measurement of the local gemm") {
    std::fill_n(operands_.data(), kept, T(1));
    std::fill_n(C_.data(), widest * widest, T(0));
  }

  /// For side × side elements of C and `depth` inner indices; the slowest rank's. Collective.
  double seconds(std::int64_t side, int runs) {
    constexpr int rounds = 5;  // the median counts: something else may take a core for a moment
    multiply(side);
    std::vector<double> seconds;
    for (int round = 0; round < rounds; ++round) {
      barrier(communicator_);
      const auto start = Clock::now();
      for (int run = 0; run < runs; ++run) multiply(side);
      barrier(communicator_);
      const std::chrono::duration<double> elapsed = Clock::now() - start;
      seconds.push_back(elapsed.count() / runs);
    }
    double slowest = std::max(median_of(seconds).value, 1e-9);
    allreduce(communicator_, std::span<const double>(&slowest, 1), std::span(&slowest, 1),
              Reduction::Kind::maximum);
    return slowest;
  }

 private:
  static constexpr std::int64_t kept = 8 * 2 * widest * depth;

  void multiply(std::int64_t side) {
    const std::int64_t words = side * depth;
    if (next_ + 2 * words > kept) next_ = 0;
    const T* const A = operands_.data() + next_;
    gemm_(Op::none, Op::none, side, side, depth, T(1), A, side, A + words, depth, T(1), C_.data(),
          side);
    next_ += 2 * words;
  }

  const Communicator& communicator_;
  const LocalGemm& gemm_;
  AlignedArray<T> operands_;
  AlignedArray<T> C_;
  std::int64_t next_ = 0;
};

/// Measured only if any rank does not know it yet.
template <MatrixElement T>
GemmRate known_gemm_rate(const Communicator& communicator, const LocalGemm& gemm) {
  using Known = std::array<double, 2>;  // multiplications per second, 0 if unknown; the other rate
  thread_local std::map<std::pair<int, int>, Known> measured;  // by threads and ranks
  Known& own = measured[{gemm.threads(), communicator.size()}];
  Known least{};
  allreduce(communicator, std::span<const double>(own), std::span<double>(least),
            Reduction::Kind::minimum);
  if (least[0] > 0) return {least[0], least[1]};
  const GemmRate rate = gemm_rate<T>(communicator, gemm);
  own = {rate.multiplications_per_second, rate.operand_seconds_per_byte.value_or(0)};
  return rate;
}

std::optional<double> fixed_algorithm_seconds(const Communicator& communicator,
                                              const LineOfNodes& line, Operation operation,
                                              double bytes) {
  const auto whole = static_cast<std::size_t>(bytes);
  const Algorithm* fixed = communicator.state().rules.demanded(operation, whole);
  if (fixed == nullptr) return std::nullopt;
  return line_seconds(operation, whole, *fixed, communicator.state().cost_model, line);
}

/// In messages as long as pipelines' usual segments.
double core_seconds_per_byte(const GroupCostModel& cost_model) {
  constexpr double segment = 16 << 10;
  const double ranks = cost_model.ranks();
  return cost_model.core_seconds(ranks, ranks * segment) / segment;
}

}  // namespace

template <MatrixElement T>
GemmRate gemm_rate(const Communicator& communicator, const LocalGemm& gemm) {
  GemmTime<T> time(communicator, gemm);
  constexpr std::int64_t wide = GemmTime<T>::widest, narrow = 64, depth = GemmTime<T>::depth;
  const auto per_multiplication = [&](std::int64_t side, int runs) {
    return time.seconds(side, runs) / static_cast<double>(side * side * depth);
  };
  const double of_wide = per_multiplication(wide, 4), of_narrow = per_multiplication(narrow, 32);
  constexpr double more_operands = 2.0 / narrow - 2.0 / wide;  // per multiplication
  const double per_operand = std::max(0.0, of_narrow - of_wide) / more_operands;
  return {1 / of_wide, per_operand / sizeof(T)};
}

Rates rates_of(const Communicator& communicator, const GemmRate& gemm) {
  const GroupCostModel& cost_model = communicator.state().cost_model;
  const bool one_node = on_one_node(communicator);
  // Within a node cores copy messages, one rank's after the other's, as they multiply.
  const double waiting_ranks = one_node ? cost_model.ranks_per_core : 1;
  const Hockney& slowest = cost_model.slowest();
  return {.network = {slowest.alpha * waiting_ranks, slowest.beta * waiting_ranks},
          .multiplications_per_second = gemm.multiplications_per_second,
          .memory_seconds_per_byte = cost_model.node.beta * cost_model.ranks_per_core,
          .operand_seconds_per_byte = gemm.operand_seconds_per_byte,
          .core_seconds_per_byte = one_node ? 0 : core_seconds_per_byte(cost_model),
          .one_node = one_node,
          .burst_bytes = cost_model.burst_bytes,
          .overlap = cost_model.overlap,
          .fixed_algorithm = [communicator](const LineOfNodes& line, Operation operation,
                                            double bytes) {
            return fixed_algorithm_seconds(communicator, line, operation, bytes);
          }};
}

template <MatrixElement T>
Rates rates_of(const Communicator& communicator, const LocalGemm& gemm) {
  return rates_of(communicator, known_gemm_rate<T>(communicator, gemm));
}

std::optional<Placement> placement_of(const Communicator& communicator) {
  const GroupNodes& nodes = communicator.state().cost_model.nodes;
  if (!nodes.shape || nodes.shape->nodes() == 1) return std::nullopt;
  std::vector<Location> of_rank(static_cast<std::size_t>(communicator.size()));
  for (std::size_t node = 0; node < nodes.ranks_of_node.size(); ++node) {
    int slot = 0;
    for (const int rank : nodes.ranks_of_node[node]) {
      of_rank[static_cast<std::size_t>(rank)] = {static_cast<NodeIndex>(node), slot++};
    }
  }
  return Placement({*nodes.shape, {}}, std::move(of_rank));
}

template GemmRate gemm_rate<double>(const Communicator&, const LocalGemm&);
template Rates rates_of<float>(const Communicator&, const LocalGemm&);
template Rates rates_of<double>(const Communicator&, const LocalGemm&);
template Rates rates_of<std::complex<float>>(const Communicator&, const LocalGemm&);
template Rates rates_of<std::complex<double>>(const Communicator&, const LocalGemm&);

}  // namespace cuboid::detail
