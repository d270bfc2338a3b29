#pragma once

#include "collectives/butterflies/butterfly.hpp"
#include "collectives/evaluation/round_loads.hpp"

#include <span>
#include <vector>

namespace cuboid::detail {

/// The loads of the rounds of butterflies, for any number of steps that scatter. Shares of a
/// message that travel along the same axis meet there. The n-th step along an axis is the same in
/// all butterflies.
class ButterflyLoads {
 public:
  ButterflyLoads(const Call& call, std::span<const Butterfly> butterflies);

  std::vector<RoundLoad> of(int scatter_steps) const;

 private:
  struct ButterflyStepLoad {
    int number = 0;
    int axis = 0;
    bool folds = false;
    double left = 0.5;
    int rounds = 1;
    int received = 1;    ///< messages that a rank receives in each round
    double content = 1;  ///< their content, as a number of messages of full length
    double on_link = 1;
    double farthest = 1;  ///< links

    /// Adds an overlapped fold in the same round.
    void add(const ButterflyStepLoad& fold);
  };

  ButterflyStepLoad load_of(const Shape& shape, std::span<const Butterfly> ways,
                            std::size_t step) const;

  std::size_t axes_;
  double bytes_;
  double at_once_;
  bool is_packed_;
  std::vector<std::vector<ButterflyStepLoad>> pairs_;  // by first axis, then by step
};

/// True if a message's time on its links exceeds the time in which ranks handle it. Rounds then go
/// in lockstep: otherwise messages of one direction would delay messages of another direction by
/// more than the handling takes.
bool travel_longer_than_handled(const Call& call, std::span<const RoundLoad> loads);

}  // namespace cuboid::detail
