#include <cuboid/collectives/allreduce.hpp>
#include <cuboid/collectives/communicator_state.hpp>
#include <cuboid/mm/aligned_memory.hpp>
#include <cuboid/mm/rates.hpp>

#include <algorithm>
#include <chrono>
#include <complex>
#include <cstdint>
#include <map>
#include <span>

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

}  // namespace

template <MatrixElement T>
Rates rates_of(const Communicator& communicator, const LocalGemm& gemm) {
  thread_local std::map<int, double> measured;  // by threads
  const auto known = measured.find(gemm.threads());
  double rate =
      known == measured.end() ? measured[gemm.threads()] = measure<T>(gemm) : known->second;
  allreduce(communicator, std::span(&rate, 1), std::span(&rate, 1), Reduction::Kind::minimum);
  bool one_node = true;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    one_node = one_node && communicator.same_node(rank);
  }
  return {communicator.state().surroundings.network, rate, !one_node};
}

template Rates rates_of<float>(const Communicator&, const LocalGemm&);
template Rates rates_of<double>(const Communicator&, const LocalGemm&);
template Rates rates_of<std::complex<float>>(const Communicator&, const LocalGemm&);
template Rates rates_of<std::complex<double>>(const Communicator&, const LocalGemm&);

}  // namespace cuboid
