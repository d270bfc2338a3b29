#pragma once

#include <cuboid/collectives.hpp>
#include <cuboid/communicator.hpp>

#include "models/multiplication/product_extents.hpp"
#include "tests/collectives/on_ranks.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

/// The algorithms that factorisations' models count. Within a node others may be quicker. The root
/// of a multicast sends all messages itself, at once, so that all are counted in the same step.
/// @param allreduce  rules for all-reduces.
inline Environment modelled_algorithms(const std::string& allreduce) {
  Environment environment = Environment::read();
  environment.algorithm = "broadcast:flat,reduce_scatter:flat,alltoall:direct," + allreduce;
  return environment;
}

/// Requires words and messages that ranks sent in a step, their mean, to be the model's.
/// @param times  the number of factorisations that sent them.
inline void require_as_modelled(const Communicator& communicator, const std::string& step,
                                const CommunicationCost& sent, const CommunicationCost& expected,
                                int times = 1) {
  std::vector<double> sums{sent.words, sent.messages};
  allreduce(communicator, sums, sums, Reduction::Kind::sum);
  const double factorisations = double{1} * times * communicator.size();
  const auto compare = [&](const char* unit, double sum, double by_model, double more) {
    constexpr double within = 1.1;
    const double mean = sum / factorisations;
    require(mean <= within * by_model + more && mean >= by_model / within - more,
            "{}: {} {} instead of {}", step, mean, unit, by_model);
  };
  // Words of headers are sent, too.
  compare("words", sums[0], expected.words, 200);
  compare("messages", sums[1], expected.messages, 1);
}

}  // namespace cuboid::detail
