#include "collectives/selection/least_seconds.hpp"

#include "collectives/schedules/slices.hpp"
#include "models/simulator/connections.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace cuboid::detail {

LeastSeconds::LeastSeconds(const Platform& platform)
    : platform_(platform),
      nodes_(static_cast<std::size_t>(platform.routes.network().nodes())),
      way_of_pair_(nodes_ * nodes_, none_yet),
      ways_(1) {
  for (const double rate : link_rates(platform)) link_seconds_per_byte_.push_back(1 / rate);
}

void LeastSeconds::begin() {
  const std::size_t ranks = platform_.node_of_rank.size();
  link_bytes_.assign(link_seconds_per_byte_.size(), 0);
  rank_seconds_.assign(ranks, 0);
  source_bytes_.assign(ranks, 0);
  for (auto* by_node : {&node_bytes_, &sent_bytes_, &taken_bytes_}) by_node->assign(nodes_, 0);
}

const LeastSeconds::Way& LeastSeconds::way(int from, int to) const {
  std::size_t& number =
      way_of_pair_[static_cast<std::size_t>(from) * nodes_ + static_cast<std::size_t>(to)];
  if (number != none_yet) return ways_[number];
  number = ways_.size();
  Way& way = ways_.emplace_back();
  platform_.routes.append(from, to, way.links);
  for (const int link : way.links)
    way.slowest = std::max(way.slowest, link_seconds_per_byte_[static_cast<std::size_t>(link)]);
  return way;
}

void LeastSeconds::add(int from, int to, double messages, double bytes, double work_seconds) {
  const auto sender = static_cast<std::size_t>(from);
  const auto receiver = static_cast<std::size_t>(to);
  const int source = node_of(from);
  const int sink = node_of(to);
  if (source == sink) {
    const LogGP& node = platform_.within_node;
    rank_seconds_[sender] += messages * node.send_overhead;
    rank_seconds_[receiver] += messages * node.receive_overhead + bytes * node.byte_gap;
    source_bytes_[sender] += bytes;
    node_bytes_[static_cast<std::size_t>(source)] += bytes;
  } else {
    const LogGP& network = platform_.between_nodes;
    const double of_bytes = platform_.core_byte_seconds * bytes;
    rank_seconds_[sender] += messages * network.send_overhead + of_bytes;
    rank_seconds_[receiver] += messages * network.receive_overhead + of_bytes;
    for (const int link : way(source, sink).links)
      link_bytes_[static_cast<std::size_t>(link)] += bytes;
    sent_bytes_[static_cast<std::size_t>(source)] += bytes;
    taken_bytes_[static_cast<std::size_t>(sink)] += bytes;
  }
  rank_seconds_[receiver] += work_seconds;
}

double LeastSeconds::byte_seconds(int from, int to) const {
  const int source = node_of(from);
  const int sink = node_of(to);
  if (source == sink) return platform_.within_node.byte_gap;
  return platform_.burst_bytes > 0 ? 0 : way(source, sink).slowest;
}

LeastSeconds::Alone LeastSeconds::alone(int from, int to) const {
  const bool within = node_of(from) == node_of(to);
  const LogGP& network = within ? platform_.within_node : platform_.between_nodes;
  const double links =
      within ? 1 : static_cast<double>(way(node_of(from), node_of(to)).links.size());
  return {network.send_overhead + network.latency + platform_.hop_seconds * (links - 1) +
              network.receive_overhead,
          byte_seconds(from, to)};
}

double LeastSeconds::busiest() const {
  const auto most = [](const std::vector<double>& values) { return std::ranges::max(values); };
  const auto at_rate = [&](const std::vector<double>& bytes, double rate) {
    return rate > 0 ? most(bytes) / rate : 0;
  };
  double seconds = most(rank_seconds_);
  if (platform_.cores > 0) {
    const double all = std::accumulate(rank_seconds_.begin(), rank_seconds_.end(), 0.0);
    seconds = std::max(seconds, all / platform_.cores);
  }
  for (std::size_t link = 0; link < link_bytes_.size(); ++link) {
    const double bytes = std::max(link_bytes_[link] - platform_.burst_bytes, 0.0);
    seconds = std::max(seconds, bytes * link_seconds_per_byte_[link]);
  }
  const double injection = platform_.injection_bytes_per_second;
  return std::max({seconds, at_rate(source_bytes_, platform_.source_bytes_per_second),
                   at_rate(node_bytes_, platform_.memory_bytes_per_second),
                   at_rate(sent_bytes_, injection), at_rate(taken_bytes_, injection)});
}

// Adds the messages of trees. A branch takes equally long in both directions.
template <class OverEdge>
double LeastSeconds::of_trees(const Forest& forest, double combine_seconds_per_byte,
                              const OverEdge& over) {
  begin();
  const bool inwards = forest.flow != Flow::multicast;
  const bool outwards = forest.flow != Flow::combine;
  const double ways = inwards && outwards ? 2 : 1;
  double longest = 0;
  std::vector<double> until(static_cast<std::size_t>(forest.ranks));
  for (const Tree& tree : forest.trees) {
    if (tree.slice.bytes == 0) continue;
    const auto slice = static_cast<double>(tree.slice.bytes);
    until[static_cast<std::size_t>(tree.root)] = 0;
    for (std::size_t edge = 0; edge < tree.edges.size(); ++edge) {
      const auto [parent, child] = tree.edges[edge];
      const OverAnEdge messages = over(tree, edge);
      const double combined = inwards ? combine_seconds_per_byte : 0;
      if (inwards) add(child, parent, messages.messages, slice, combined * slice);
      if (outwards) add(parent, child, messages.messages, slice, 0);
      const double last = messages.last_bytes;
      const double here = until[static_cast<std::size_t>(parent)] +
                          ways * alone(parent, child).seconds(last) + combined * last;
      until[static_cast<std::size_t>(child)] = here;
      longest = std::max(longest, here + byte_seconds(parent, child) * (slice - last));
    }
  }
  return std::max(longest, busiest());
}

double LeastSeconds::of(const Forest& forest, double combine_seconds_per_byte) {
  return of_trees(forest, combine_seconds_per_byte,
                  [](const Tree&, std::size_t) { return OverAnEdge{}; });
}

double LeastSeconds::of(const Forest& forest, const Pipelining& pipelining,
                        double combine_seconds_per_byte) {
  return of_trees(forest, combine_seconds_per_byte, [&](const Tree& tree, std::size_t edge) {
    const Segmentation cut(tree.slice, pipelining);
    const bool bundled = edge + tree.local_fanout >= tree.edges.size();
    const std::size_t bundle = bundled ? cut.bundle() : 1;
    return OverAnEdge{static_cast<double>((cut.segments() + bundle - 1) / bundle),
                      static_cast<double>(cut.bytes(cut.segments() - 1))};
  });
}

// Adds the messages of rounds. for_each_message(exchange, travel) calls travel(first_block,
// end_block, bytes) and returns the number of messages; a packed exchange is one message.
template <class ForEachMessage>
double LeastSeconds::of_rounds(const Rounds& rounds, const Conditions& conditions,
                               double handling_seconds_per_byte,
                               const ForEachMessage& for_each_message) {
  begin();
  const std::size_t blocks = std::max<std::size_t>(conditions.blocks.size(), 1);
  const auto ranks = static_cast<std::size_t>(rounds.ranks);
  // `there`: the earliest time at which a rank has its copy of a block. `signals`: the earliest
  // time at which a rank has the messages without blocks of the last round that brought it some.
  std::vector<double> there(ranks * blocks, 0.0);
  std::vector<double> signals(ranks, 0.0);
  // Blocks that arrive together; no range: all of an exchange.
  struct Arrival {
    const Exchange* exchange;
    std::size_t first_block;
    std::size_t end_block;
    double seconds;
  };
  std::vector<Arrival> arrivals;
  double longest = 0;
  const double copies = rounds.packed ? 2 : 0;
  for (const auto& round : rounds.rounds) {
    arrivals.clear();
    std::vector<double> next_signals(ranks, 0.0);
    for (const Exchange& exchange : round) {
      const auto [sender, receiver] = std::pair(exchange.sender, exchange.receiver);
      const Alone alone = this->alone(sender, receiver);
      if (exchange.blocks.empty()) {
        add(sender, receiver, 1, 0, 0);
        double& next = next_signals[static_cast<std::size_t>(receiver)];
        next = std::max(next, signals[static_cast<std::size_t>(sender)] + alone.seconds(0));
        longest = std::max(longest, next);
        continue;
      }
      const double* const held = &there[static_cast<std::size_t>(sender) * blocks];
      const double handling = (copies + (exchange.combine ? 1 : 0)) * handling_seconds_per_byte;
      double bytes_of_all = 0;
      const auto arrive = [&](double ready, double bytes) {
        bytes_of_all += bytes;
        const double then = ready + alone.seconds(bytes) + handling * bytes;
        longest = std::max(longest, then);
        return then;
      };
      std::size_t messages = 1;
      if (rounds.packed) {
        double ready = 0;
        for (const int block : exchange.blocks) ready = std::max(ready, held[block]);
        const auto bytes = static_cast<double>(bytes_of(exchange.blocks, conditions));
        arrivals.push_back({&exchange, 0, 0, arrive(ready, bytes)});
      } else {
        messages = for_each_message(exchange, [&](std::size_t first, std::size_t end,
                                                  std::size_t bytes) {
          const double ready = *std::max_element(held + first, held + end);
          arrivals.push_back({&exchange, first, end, arrive(ready, static_cast<double>(bytes))});
        });
      }
      add(sender, receiver, static_cast<double>(messages), bytes_of_all, handling * bytes_of_all);
    }
    for (const auto& [exchange, first, end, seconds] : arrivals) {
      double* const held = &there[static_cast<std::size_t>(exchange->receiver) * blocks];
      const auto take = [&, exchange = exchange, seconds = seconds](std::size_t block) {
        held[block] = exchange->combine ? std::max(held[block], seconds) : seconds;
      };
      for (std::size_t block = first; block < end; ++block) take(block);
      if (!rounds.packed) continue;
      for (const int block : exchange->blocks) take(static_cast<std::size_t>(block));
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (next_signals[rank] > 0) signals[rank] = next_signals[rank];
    }
  }
  return std::max(longest, busiest());
}

double LeastSeconds::of(const Rounds& rounds, const Conditions& conditions,
                        double handling_seconds_per_byte) {
  const auto of_a_block = [&](const Exchange& exchange, const auto& travel) {
    for (const int number : exchange.blocks) {
      const auto block = static_cast<std::size_t>(number);
      travel(block, block + 1,
             conditions.blocks.offset(block + 1) - conditions.blocks.offset(block));
    }
    return std::size_t{1};  // or more
  };
  return of_rounds(rounds, conditions, handling_seconds_per_byte, of_a_block);
}

double LeastSeconds::of(const Rounds& rounds, const Conditions& conditions,
                        const Pipelining& pipelining, double handling_seconds_per_byte) {
  const auto of_a_run = [&](const Exchange& exchange, const auto& travel) {
    std::size_t messages = 0;
    for_each_run(exchange.blocks, conditions, pipelining.segment_bytes, [&](const BlockRun& run) {
      ++messages;
      travel(run.first_block, run.end_block, run.bytes);
    });
    return messages;
  };
  return of_rounds(rounds, conditions, handling_seconds_per_byte, of_a_run);
}

}  // namespace cuboid::detail
