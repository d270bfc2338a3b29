#pragma once

#include "collectives/butterflies/butterfly.hpp"
#include "collectives/prices/call.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

/// What a call by butterflies takes, and whether its rounds go in step.
struct SwingSeconds {
  double seconds = 0;
  bool in_step = false;
};

/// What butterflies take, by the number of steps that scatter. Shares of a message that go along
/// the same axis meet there. The n-th step along an axis is alike in all of them.
class SwingPrices {
 public:
  SwingPrices(const Call& call, std::span<const Butterfly> butterflies);

  SwingSeconds seconds(int scattering) const;

 private:
  struct StepLoad {
    int number = 0;
    int axis = 0;
    bool folds = false;
    double left = 0.5;
    int rounds = 1;
    int received = 1;  ///< messages, in each round
    double on_link = 1;
    double farthest = 1;  ///< links

    /// A fold in the same round.
    void add(const StepLoad& fold);
  };

  // What goes at once in a step of all butterflies.
  struct Load {
    bool returns = false;
    double rounds = 1;
    double farthest = 1;
    double messages = 0;  ///< that a node receives in each round
    double received = 0;  ///< bytes of these in all rounds
    double on_link = 0;   ///< bytes
  };

  StepLoad load_of(std::span<const Butterfly> ways, std::size_t step) const;
  std::vector<Load> loads(int scattering) const;
  double latency(const Load& load) const;
  double overhead_of_an_end() const { return call_.cost_model.network_overhead / 2; }
  double travelling(const Load& load) const;

  const Call& call_;
  double at_once_;
  bool is_packed_;
  bool has_unequal_rings_;
  std::vector<std::vector<StepLoad>> pairs_;  // by first axis
};

}  // namespace cuboid::detail
