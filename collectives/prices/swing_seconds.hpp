#pragma once

#include "collectives/prices/call.hpp"
#include "collectives/rounds/butterfly.hpp"

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
    int sent = 1;      ///< messages of a node that spreads what the root has
    int received = 1;  ///< messages, in each round
    double on_link = 1;
    double from_first = 1;  ///< as on_link, while the first node's spreads
    double farthest = 1;    ///< links

    /// A fold in the same round, the weight of whose links is this.
    void add(const StepLoad& fold, double weight);
  };

  // What goes at once in a step of all butterflies.
  struct Load {
    bool returns = false;
    double rounds = 1;
    double farthest = 1;
    double longest = 0;  ///< message, in bytes
    double sent = 1;     ///< messages of one butterfly, by a node that spreads what the root has
    double sent_by_root = 0;  ///< messages of all
    double messages = 0;      ///< that a node receives in each round
    double received = 0;      ///< bytes of these in all rounds
    double on_link = 0;       ///< bytes
    double from_first = 0;
  };

  StepLoad load_of(std::span<const Butterfly> ways, std::size_t step) const;
  std::vector<Load> loads(int scattering) const;
  double latency(const Load& load) const;
  double overhead_of_an_end() const { return call_.cost_model.network_overhead / 2; }
  double travelling(const Load& load, double on_link) const;
  SwingSeconds seconds_of_all(int scattering) const;
  double seconds_of_root(int scattering) const;

  const Call& call_;
  double at_once_;
  bool is_rooted_;
  bool is_packed_;
  bool has_unequal_rings_;
  int folds_ = 0;                             // meanwhile, of a butterfly
  std::vector<std::vector<StepLoad>> pairs_;  // by first axis
};

}  // namespace cuboid::detail
