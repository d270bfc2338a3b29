#pragma once

#include <cuboid/collectives/collective.hpp>
#include <cuboid/collectives/compile.hpp>
#include <cuboid/collectives/group_shape.hpp>
#include <cuboid/models/hockney.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace cuboid {

enum class Algorithm {
  direct,
  binomial,
  chain,
  in_order_tree,
  ring,
  recursive_doubling,
  dissemination,
  rectangular,
};
std::string to_string(Algorithm algorithm);

/// What was chosen for a collective, and what it should cost.
struct Choice {
  Algorithm algorithm = Algorithm::direct;
  Pipelining pipelining;
  double seconds = 0;
};

/// What a group's messages travel over.
struct Surroundings {
  Hockney network;                       ///< of one message on an otherwise idle network
  std::optional<GroupShape> shape = {};  ///< where the group fills a cuboid of the network
};

/// The cheapest algorithm under the model for a collective over `ranks` ranks. Pure; the same on
/// every rank, as it depends on nothing that differs between them.
Choice select(const Collective& collective, int ranks, const Surroundings& surroundings);

}  // namespace cuboid
