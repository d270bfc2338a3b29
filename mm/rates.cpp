#include <cuboid/collectives/allreduce.hpp>
#include <cuboid/collectives/communicator_state.hpp>
#include <cuboid/collectives/transport/waiting.hpp>
#include <cuboid/mm/aligned_memory.hpp>
#include <cuboid/mm/on_one_node.hpp>
#include <cuboid/mm/rates.hpp>

#include <algorithm>
#include <chrono>
#include <complex>
#include <cstdint>
#include <map>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace cuboid {

namespace {

/// Multiplications per second of this rank's gemm on square matrices that fit the caches.
template <MatrixElement T>
double measure(const LocalGemm& gemm) {
  constexpr std::int64_t n = 256;
  constexpr int runs = 3;  // the first one warms up
  const AlignedArray<T> operands(3 * n * n, "a measurement of the gemm");
  std::fill_n(operands.data(), 3 * n * n, T(1));
  T* const A = operands.data();
  double best = 0;
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    gemm(Op::none, Op::none, n, n, n, T(1), A, n, A + n * n, n, T(0), A + 2 * n * n, n);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    best = std::max(best, static_cast<double>(n * n * n) / std::max(elapsed.count(), 1e-9));
  }
  return best;
}

/// How much of the cores that its threads want a rank gets while all ranks of the node multiply.
/// Ranks that are bound to cores are taken to have them for themselves.
double share_of_cores(const Communicator& communicator, int threads) {
  const std::size_t cores = usable_cores().size();
  if (cores < std::thread::hardware_concurrency()) return 1;
  int ranks = 0;
  for (int rank = 0; rank < communicator.size(); ++rank)
    ranks += communicator.same_node(rank) ? 1 : 0;
  return std::min(1.0, static_cast<double>(cores) / (static_cast<double>(ranks) * threads));
}

}  // namespace

template <MatrixElement T>
Rates rates_of(const Communicator& communicator, const LocalGemm& gemm) {
  thread_local std::map<int, double> measured;  // by threads
  const auto known = measured.find(gemm.threads());
  double rate =
      known == measured.end() ? measured[gemm.threads()] = measure<T>(gemm) : known->second;
  rate *= share_of_cores(communicator, gemm.threads());
  allreduce(communicator, std::span(&rate, 1), std::span(&rate, 1), Reduction::Kind::minimum);
  const Surroundings& surroundings = communicator.state().surroundings;
  return {surroundings.slowest(), rate, surroundings.node.beta * surroundings.ranks_per_core,
          !on_one_node(communicator)};
}

std::optional<Placement> placement_of(const Communicator& communicator) {
  const GroupNodes& nodes = communicator.state().surroundings.nodes;
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

template Rates rates_of<float>(const Communicator&, const LocalGemm&);
template Rates rates_of<double>(const Communicator&, const LocalGemm&);
template Rates rates_of<std::complex<float>>(const Communicator&, const LocalGemm&);
template Rates rates_of<std::complex<double>>(const Communicator&, const LocalGemm&);

}  // namespace cuboid
