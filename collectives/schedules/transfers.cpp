#include "collectives/schedules/transfers.hpp"

#include "collectives/schedules/slices.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace cuboid::detail {

// The transfers of one tree, segment after segment.
class TreeTransfers {
 public:
  using Id = Transfers::Id;

  TreeTransfers(const Forest& forest, const Tree& tree, const Pipelining& pipelining,
                double combine_seconds_per_byte)
      : flow_(forest.flow),
        tree_(tree),
        combine_(combine_seconds_per_byte),
        cut_(tree.slice, pipelining),
        below_(tree.edges.size()),
        into_parent_(tree.edges.size(), none),
        inwards_(tree.edges.size(), {InFlight(cut_.window())}),
        outwards_(tree.edges.size(), {InFlight(cut_.window())}),
        waiting_(tree.edges.size()) {
    std::vector<std::size_t> into(static_cast<std::size_t>(forest.ranks), none);
    for (std::size_t edge = 0; edge < tree.edges.size(); ++edge) {
      const auto [parent, child] = tree.edges[edge];
      into[static_cast<std::size_t>(child)] = edge;
      const std::size_t above = into[static_cast<std::size_t>(parent)];
      into_parent_[edge] = above;
      (above == none ? from_root_ : below_[above]).push_back(edge);
    }
  }

  std::size_t segments() const { return cut_.segments(); }

  void add_segment(std::size_t segment, Transfers& transfers) {
    if (flow_ != Flow::multicast) combine(segment, transfers);
    if (flow_ != Flow::combine) multicast(segment, transfers);
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  // The messages over an edge in one direction.
  struct Messages {
    InFlight in_flight;
    Id latest = InFlight::none;

    void send(const Transfer& transfer, std::size_t number, std::vector<Id>& after,
              Transfers& transfers) {
      const Id oldest = in_flight.oldest(number);
      if (oldest != InFlight::none) after.push_back(oldest);
      latest = transfers.send(transfer, after);
      in_flight.push(number, latest);
    }
  };

  std::size_t bundle_of(std::size_t edge) const {
    return edge + tree_.local_fanout >= tree_.edges.size() ? cut_.bundle() : 1;
  }

  double bytes(std::size_t segment, std::size_t bundle) const {
    return static_cast<double>(cut_.message_bytes(segment, bundle));
  }

  void combine(std::size_t segment, Transfers& transfers) {
    for (std::size_t edge = tree_.edges.size(); edge-- > 0;) {
      const std::size_t bundle = bundle_of(edge);
      if (!cut_.begins(segment, bundle)) continue;  // a leaf has sent the whole bundle
      const double size = bytes(segment, bundle);
      after_.clear();
      for (const std::size_t lower : below_[edge]) after_.push_back(inwards_[lower].latest);
      inwards_[edge].send(
          {tree_.edges[edge].child, tree_.edges[edge].parent, size, combine_ * size},
          segment / bundle, after_, transfers);
    }
  }

  void multicast(std::size_t segment, Transfers& transfers) {
    for (std::size_t edge = 0; edge < tree_.edges.size(); ++edge) {
      std::vector<Id>& waiting = waiting_[edge];
      if (into_parent_[edge] != none) {
        waiting.push_back(outwards_[into_parent_[edge]].latest);
      } else if (flow_ == Flow::combine_then_multicast) {
        for (const std::size_t contribution : from_root_)
          waiting.push_back(inwards_[contribution].latest);
      }
      const std::size_t bundle = bundle_of(edge);
      if (!cut_.ends(segment, bundle)) continue;
      outwards_[edge].send(
          {tree_.edges[edge].parent, tree_.edges[edge].child, bytes(segment, bundle)},
          segment / bundle, waiting, transfers);
      waiting.clear();
    }
  }

  Flow flow_;
  const Tree& tree_;
  double combine_;
  Segmentation cut_;
  std::vector<std::vector<std::size_t>> below_;  // by edge, the edges out of its child
  std::vector<std::size_t> from_root_;
  std::vector<std::size_t> into_parent_;  // by edge, the edge above it
  std::vector<Messages> inwards_;         // by edge
  std::vector<Messages> outwards_;
  std::vector<std::vector<Id>> waiting_;  // by edge, what the next bundle waits for
  std::vector<Id> after_;                 // what a contribution waits for
};

Transfers::Transfers(int ranks)
    : graph_(ranks),
      begun_after_(static_cast<std::size_t>(ranks)),
      part_(static_cast<std::size_t>(ranks)) {}

Transfers::Id Transfers::send(const Transfer& transfer, std::vector<Id>& after) {
  const auto from = static_cast<std::size_t>(transfer.from);
  const auto to = static_cast<std::size_t>(transfer.to);
  if (begun_after_[from]) after.push_back(*begun_after_[from]);
  const Id id = graph_.add(transfer, after);
  part_[from].push_back(id);
  if (to != from) part_[to].push_back(id);
  return id;
}

void Transfers::begin_collective() {
  for (int rank = 0; rank < graph_.ranks(); ++rank) {
    auto& part = part_[static_cast<std::size_t>(rank)];
    if (part.empty()) continue;
    begun_after_[static_cast<std::size_t>(rank)] = graph_.add({rank, rank}, part);
    part.clear();
  }
}

void Transfers::add(const Forest& forest, const Pipelining& pipelining,
                    double combine_seconds_per_byte) {
  begin_collective();
  std::vector<TreeTransfers> trees;
  trees.reserve(forest.trees.size());
  std::size_t most_segments = 0;
  for (const Tree& tree : forest.trees) {
    trees.emplace_back(forest, tree, pipelining, combine_seconds_per_byte);
    most_segments = std::max(most_segments, trees.back().segments());
  }
  for (std::size_t turn = 0; turn < most_segments; ++turn) {
    for (TreeTransfers& tree : trees) {
      const auto segment = segment_in_turn(turn, most_segments, tree.segments());
      if (segment) tree.add_segment(*segment, *this);
    }
  }
}

void Transfers::add(const Rounds& rounds, const Conditions& conditions,
                    const Pipelining& pipelining, double handling_seconds_per_byte) {
  begin_collective();
  const double copies = rounds.packed ? 2 : 0;  // by the sender and by the receiver
  const std::size_t blocks = conditions.blocks.size();
  // The transfers that produced each rank's copy of each block.
  std::vector<std::vector<Id>> made(static_cast<std::size_t>(rounds.ranks) * blocks);
  const auto made_by = [&](int rank, std::size_t block) -> std::vector<Id>& {
    return made[static_cast<std::size_t>(rank) * blocks + block];
  };
  std::vector<std::vector<Id>> signals(static_cast<std::size_t>(rounds.ranks));
  std::vector<std::vector<Id>> received(signals.size());  // by rank, in its last round with any
  struct Arrival {
    const Exchange* exchange;
    BlockSet blocks;
    Id id;
  };
  std::vector<Id> after;
  for (const auto& round : rounds.rounds) {
    // Arrivals count once all messages of the round are sent: ranks send what they had before it.
    std::vector<Arrival> arrivals;
    std::vector<std::vector<Id>> next_signals(signals.size());
    std::vector<std::vector<Id>> next_received(signals.size());
    for (const Exchange& exchange : round) {
      const auto [sender, receiver] = std::pair(exchange.sender, exchange.receiver);
      if (exchange.blocks.empty()) {
        after = signals[static_cast<std::size_t>(sender)];
        const Id id = send({sender, receiver}, after);
        next_signals[static_cast<std::size_t>(receiver)].push_back(id);
        continue;
      }
      const auto travel = [&](BlockSet together, std::size_t bytes) {
        after.clear();
        if (rounds.lockstep) after = received[static_cast<std::size_t>(sender)];
        for (const int block : together)
          std::ranges::copy(made_by(sender, static_cast<std::size_t>(block)),
                            std::back_inserter(after));
        std::ranges::sort(after);
        after.erase(std::ranges::unique(after).begin(), after.end());
        const auto size = static_cast<double>(bytes);
        const double work =
            (copies + (exchange.combine ? 1 : 0)) * handling_seconds_per_byte * size;
        const Id id = send({sender, receiver, size, work}, after);
        next_received[static_cast<std::size_t>(receiver)].push_back(id);
        arrivals.push_back({&exchange, std::move(together), id});
      };
      if (rounds.packed) {
        travel(exchange.blocks, bytes_of(exchange.blocks, conditions));
        continue;
      }
      for (const BlockRun& run : runs_of(exchange.blocks, conditions, pipelining.segment_bytes))
        travel(run.blocks(), run.bytes);
    }
    for (const auto& [exchange, arrived, id] : arrivals) {
      for (const int block : arrived) {
        auto& held = made_by(exchange->receiver, static_cast<std::size_t>(block));
        if (!exchange->combine) held.clear();
        held.push_back(id);
      }
    }
    for (std::size_t rank = 0; rank < signals.size(); ++rank) {
      if (!next_signals[rank].empty()) signals[rank] = std::move(next_signals[rank]);
      if (next_received[rank].empty()) continue;
      if (rounds.after_all) {
        std::ranges::copy(received[rank], std::back_inserter(next_received[rank]));
        const int itself = static_cast<int>(rank);
        next_received[rank] = {send({itself, itself}, next_received[rank])};
      }
      received[rank] = std::move(next_received[rank]);
    }
  }
}

void Transfers::meet() {
  begin_collective();
  std::vector<Id> all;
  for (const auto& end : begun_after_) {
    if (end) all.push_back(*end);
  }
  if (all.empty()) return;
  std::ranges::fill(begun_after_, graph_.add({0, 0}, all));
}

}  // namespace cuboid::detail
