#include "collectives/algorithms/round_seconds.hpp"

#include <cuboid/grid.hpp>

#include <algorithm>
#include <vector>

namespace cuboid::detail {

namespace {

double most_at_a_node(int nodes, std::span<const Passage> passages) {
  std::vector<int> out(static_cast<std::size_t>(nodes), 0);
  std::vector<int> in(out);
  for (const Passage& passage : passages) {
    ++out[static_cast<std::size_t>(passage.from)];
    ++in[static_cast<std::size_t>(passage.to)];
  }
  return std::max(std::ranges::max(out), std::ranges::max(in));
}

double most_on_a_link(const GroupNodes& group, std::span<const RoundMessage> messages) {
  if (group.nodes() == 1) return 1;
  const std::vector<int> node_of_rank = group.node_of_rank();
  std::vector<Passage> passages;
  for (const auto& [sender, receiver] : messages) {
    const int from = node_of_rank[static_cast<std::size_t>(sender)];
    const int to = node_of_rank[static_cast<std::size_t>(receiver)];
    if (from != to) passages.push_back({from, to});
  }
  if (passages.empty()) return 1;
  return group.shape ? passages_load(*group.shape, passages).worst_link
                     : most_at_a_node(group.nodes(), passages);
}

double most_of_a_rank(int ranks, std::span<const RoundMessage> messages) {
  std::vector<int> sent(static_cast<std::size_t>(ranks), 0);
  for (const RoundMessage& message : messages) ++sent[static_cast<std::size_t>(message.sender)];
  return std::ranges::max(sent);
}

}  // namespace

double round_seconds(const Call& call, double bytes, std::span<const RoundMessage> messages) {
  const Hockney& network = call.cost_model.slowest();
  return network.alpha +
         call.cost_model.network_overhead * (most_of_a_rank(call.ranks(), messages) - 1) +
         network.beta * bytes * most_on_a_link(call.cost_model.nodes, messages);
}

double round_seconds(const Call& call, double bytes, const std::function<int(int)>& receiver) {
  std::vector<RoundMessage> messages;
  for (int rank = 0; rank < call.ranks(); ++rank) messages.push_back({rank, receiver(rank)});
  return round_seconds(call, bytes, messages);
}

}  // namespace cuboid::detail
