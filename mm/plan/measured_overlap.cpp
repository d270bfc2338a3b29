#include "mm/plan/measured_overlap.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/point_to_point.hpp>

#include "base/clock.hpp"
#include "collectives/communicator/communicator_state.hpp"
#include "mm/local/gemm_in_strips.hpp"
#include "mm/matrix/aligned_memory.hpp"
#include "mm/plan/rates.hpp"
#include "models/multiplication/overlap.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

namespace {

/// Each rank sends a block to a rank of the next node: to the rank whose number is greater by the
/// number of ranks of the largest node.
class BlocksToNextNode {
 public:
  BlocksToNextNode(const Communicator& communicator, std::size_t bytes)
      : outgoing_(bytes), incoming_(bytes), plan_(planned(communicator)) {}

  CollectivePlan& plan() { return plan_; }

 private:
  CollectivePlan planned(const Communicator& communicator) {
    std::vector<int> ranks;
    std::size_t apart = 0;
    for (const auto& of_node : communicator.state().cost_model.nodes.ranks_of_node) {
      ranks.insert(ranks.end(), of_node.begin(), of_node.end());
      apart = std::max(apart, of_node.size());
    }
    const auto here =
        static_cast<std::size_t>(std::ranges::find(ranks, communicator.rank()) - ranks.begin());
    const std::size_t all = ranks.size();
    return plan_exchange(communicator, outgoing_, ranks[(here + apart) % all], incoming_,
                         ranks[(here + all - apart) % all]);
  }

  std::vector<std::byte> outgoing_, incoming_;
  CollectivePlan plan_;
};

/// Panels of SUMMA's usual shape, multiplied one after the other.
class Multiplications {
 public:
  explicit Multiplications(const LocalGemm& gemm)
      : gemm_(gemm), operands_((2 * width + extent) * extent, "a measurement of overlap") {
    std::fill_n(operands_.data(), (2 * width + extent) * extent, 1.0);
  }

  template <class Progress>
  void run(int panels, const Progress& progress) {
    double* const a = operands_.data();
    double* const b = a + width * extent;
    double* const c = b + width * extent;
    for (int panel = 0; panel < panels; ++panel) {
      gemm_in_strips(1.0, Panel<double>{a, extent, Op::none}, Panel<double>{b, width, Op::none},
                     width, 0.0, LocalView<double>{c, extent, extent, extent}, gemm_, progress);
    }
  }

 private:
  static constexpr std::int64_t width = 128, extent = 256;
  const LocalGemm& gemm_;
  AlignedArray<double> operands_;
};

/// Seconds from the beginning of the first rank to the end of the last.
template <class Work>
double seconds_of(const Communicator& communicator, const Work& work) {
  barrier(communicator);
  const auto start = Clock::now();
  work();
  barrier(communicator);
  double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  allreduce(communicator, std::span(&seconds, 1), std::span(&seconds, 1), Reduction::Kind::maximum);
  return seconds;
}

/// The number of blocks, which is that of a multiplication's usual rounds. So the first and the
/// last block hardly count, and ranks that share cores wait for the network at different times.
constexpr int turns = 8;

/// Bytes of a block: long enough that the burst of idle links hardly counts.
std::size_t block_bytes(const GroupCostModel& cost_model) {
  constexpr double seconds = 0.0125, shortest = 64 << 10, longest = 16 << 20;
  return static_cast<std::size_t>(
      std::max(4 * cost_model.burst_bytes / turns,
               std::clamp(seconds / cost_model.network.beta, shortest, longest)));
}

}  // namespace

std::optional<Measured> measured_overlap(const Communicator& communicator, const LocalGemm& gemm) {
  const GroupCostModel& cost_model = communicator.state().cost_model;
  if (cost_model.nodes.nodes() < 2) return std::nullopt;
  constexpr int rounds = 5;
  const std::size_t bytes = block_bytes(cost_model);
  BlocksToNextNode blocks(communicator, bytes);
  Multiplications multiplications(gemm);
  const auto nothing = [] { return false; };
  const auto transfer = [&] {
    for (int turn = 0; turn < turns; ++turn) blocks.plan().run();
  };
  int panels = 1;
  const auto multiply = [&] { multiplications.run(turns * panels, nothing); };
  const auto both = [&] {
    for (int turn = 0; turn < turns; ++turn) {
      Request request = blocks.plan().start();
      multiplications.run(panels, [&] { return !request.test(); });
      request.wait();
    }
  };
  multiply();
  transfer();  // makes connections
  constexpr int most_panels = 10000;
  const double wanted = seconds_of(communicator, transfer);
  const double of_one = seconds_of(communicator, multiply);
  panels = static_cast<int>(std::clamp(std::ceil(wanted / of_one), 1.0, 1.0 * most_panels));
  const double core_seconds =
      rates_of(communicator, 1).core_seconds_per_byte * static_cast<double>(turns * bytes);
  std::vector<double> shares;
  for (int round = 0; round < rounds; ++round) {
    // Before each transfer, links are idle during a multiplication.
    const double multiplied = seconds_of(communicator, multiply);
    const double transferred = seconds_of(communicator, transfer);
    const double again = seconds_of(communicator, multiply);
    const double together = seconds_of(communicator, both);
    const double compute = std::min(multiplied, again);
    const OverlapBounds bounds{std::max(transferred, core_seconds) + compute,
                               std::max(transferred, compute + core_seconds)};
    if (const auto share = overlap_of(bounds, together)) shares.push_back(*share);
  }
  if (shares.empty()) return std::nullopt;
  return median_of(shares);
}

}  // namespace cuboid::detail
