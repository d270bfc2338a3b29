#include "mm/plan/rates.hpp"

#include <cuboid/collectives.hpp>

#include "base/clock.hpp"
#include "collectives/communicator/communicator_state.hpp"
#include "mm/local/on_device.hpp"
#include "mm/matrix/aligned_memory.hpp"
#include "mm/matrix/ranks.hpp"
#include "models/messages/measured.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

/// Multiplications per second of a rank's gemm on square matrices that fit the caches, from the
/// beginning of the first rank to the end of the last. If ranks share cores, as ranks of emulated
/// nodes do, a single rank may have had its core for itself; so all ranks together are measured.
/// Collective.
template <MatrixElement T>
double measure(const Communicator& communicator, const LocalGemm& gemm) {
  constexpr std::int64_t n = 256;
  constexpr int runs = 2;
  constexpr int rounds = 5;  // the median counts: something else may take a core for a moment
  const AlignedArray<T> operands(3 * n * n, "a measurement of the local gemm");
  std::fill_n(operands.data(), 3 * n * n, T(1));
  T* const A = operands.data();
  const auto multiply = [&] {
    gemm.on_cores(Op::none, Op::none, n, n, n, T(1), A, n, A + n * n, n, T(0), A + 2 * n * n, n);
  };
  multiply();
  std::vector<double> seconds;
  for (int round = 0; round < rounds; ++round) {
    barrier(communicator);
    const auto start = Clock::now();
    for (int run = 0; run < runs; ++run) multiply();
    barrier(communicator);
    const std::chrono::duration<double> elapsed = Clock::now() - start;
    seconds.push_back(elapsed.count());
  }
  return runs * static_cast<double>(n * n * n) / std::max(median_of(seconds).value, 1e-9);
}

double least_of_all(const Communicator& communicator, double value) {
  allreduce(communicator, std::span(&value, 1), std::span(&value, 1), Reduction::Kind::minimum);
  return value;
}

/// gemm_rate(), measured only if some rank does not know it yet.
template <MatrixElement T>
double known_gemm_rate(const Communicator& communicator, const LocalGemm& gemm) {
  double& rate = measured_gemm_rate<T>(gemm.threads(), communicator.size());
  const double known = least_of_all(communicator, rate);
  if (known == 0) return rate = gemm_rate<T>(communicator, gemm);
  return known;
}

std::optional<double> fixed_algorithm_seconds(const Communicator& communicator,
                                              const LineOfNodes& line, Operation operation,
                                              double bytes) {
  const auto whole = static_cast<std::size_t>(bytes);
  const Algorithm* fixed = communicator.state().rules.demanded(operation, whole);
  if (fixed == nullptr) return std::nullopt;
  return line_seconds(operation, whole, *fixed, communicator.state().cost_model, line);
}

/// CPU seconds per byte received, in messages as long as usual segments.
double core_seconds_per_byte(const GroupCostModel& cost_model) {
  constexpr double segment = 16 << 10;
  const double ranks = cost_model.ranks();
  return cost_model.core_seconds(ranks, ranks * segment) / segment;
}

}  // namespace

template <MatrixElement T>
double& measured_gemm_rate(int threads, int ranks) {
  thread_local std::map<std::pair<int, int>, double> measured;
  return measured[{threads, ranks}];
}

template <MatrixElement T>
double gemm_rate(const Communicator& communicator, const LocalGemm& gemm) {
  return least_of_all(communicator, measure<T>(communicator, gemm));
}

Rates rates_of(const Communicator& communicator, double multiplications_per_second) {
  const GroupCostModel& cost_model = communicator.state().cost_model;
  const bool one_node = on_one_node(communicator);
  // Within a node the cores that multiply also copy messages, for one rank after the other.
  const double waiting_ranks = one_node ? cost_model.ranks_per_core : 1;
  const Hockney& slowest = cost_model.slowest();
  return {.network = {slowest.alpha * waiting_ranks, slowest.beta * waiting_ranks},
          .multiplications_per_second = multiplications_per_second,
          .memory_seconds_per_byte = cost_model.node.beta * cost_model.ranks_per_core,
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
Rates rates_of(const Communicator& communicator, const LocalGemm& gemm, const ProductSize& size) {
  const double cores = known_gemm_rate<T>(communicator, gemm);
  const double sides = std::sqrt(static_cast<double>(communicator.size()));
  const auto part = [&](std::int64_t extent) {
    return static_cast<std::int64_t>(std::ceil(static_cast<double>(extent) / sides));
  };
  const std::int64_t m = part(size.m), n = part(size.n);
  const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(size.k);
  const double device = work > 0 ? work / device_seconds<T>(gemm, m, n, size.k) : 0;
  return rates_of(communicator, std::max(cores, least_of_all(communicator, device)));
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

template double gemm_rate<double>(const Communicator&, const LocalGemm&);
template double& measured_gemm_rate<double>(int, int);
template Rates rates_of<float>(const Communicator&, const LocalGemm&, const ProductSize&);
template Rates rates_of<double>(const Communicator&, const LocalGemm&, const ProductSize&);
template Rates rates_of<std::complex<float>>(const Communicator&, const LocalGemm&,
                                             const ProductSize&);
template Rates rates_of<std::complex<double>>(const Communicator&, const LocalGemm&,
                                              const ProductSize&);

}  // namespace cuboid::detail
