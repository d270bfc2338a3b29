#include "mm/drivers/summa/line_broadcasts.hpp"

#include <cuboid/collectives.hpp>

#include <algorithm>

namespace cuboid::detail {

std::size_t LineBroadcasts::add(std::size_t lane, std::size_t lanes, std::size_t count, int root) {
  const auto found = std::ranges::find_if(broadcasts_, [&](const Broadcast& one) {
    return one.lane == lane && one.count == count && one.root == root;
  });
  const auto number = static_cast<std::size_t>(found - broadcasts_.begin());
  if (found == broadcasts_.end()) {
    broadcasts_.push_back(
        {lane, count, root,
         plan_broadcast(line_, {nullptr, count, type_}, root, static_cast<int>(lanes))});
  }
  return number;
}

Request LineBroadcasts::start(std::size_t number, void* elements) {
  CollectivePlan& plan = broadcasts_[number].plan;
  plan.rebind(elements, elements);
  return plan.start();
}

}  // namespace cuboid::detail
