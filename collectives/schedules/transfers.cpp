#include "collectives/schedules/transfers.hpp"

#include "collectives/schedules/slices.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <ranges>
#include <span>
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
        into_parent_(tree.edges.size(), none),
        inwards_(flow_ == Flow::multicast ? 0 : tree.edges.size(), cut_.window()),
        outwards_(flow_ == Flow::combine ? 0 : tree.edges.size(), cut_.window()),
        waiting_(tree.edges.size() - first_bundled()) {
    std::vector<std::size_t> into(static_cast<std::size_t>(forest.ranks), none);
    for (std::size_t edge = 0; edge < tree.edges.size(); ++edge) {
      const auto [parent, child] = tree.edges[edge];
      into[static_cast<std::size_t>(child)] = edge;
      into_parent_[edge] = into[static_cast<std::size_t>(parent)];
    }
    if (flow_ != Flow::multicast) list_edges_below();
  }

  std::size_t segments() const { return cut_.segments(); }

  void add_segment(std::size_t segment, Transfers& transfers) {
    if (flow_ != Flow::multicast) combine(segment, transfers);
    if (flow_ != Flow::combine) multicast(segment, transfers);
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  // The messages over all edges in one direction.
  class Messages {
   public:
    Messages(std::size_t edges, std::size_t window)
        : window_(window), in_flight_(edges * window, InFlight::none), latest_(edges) {}

    Id latest(std::size_t edge) const { return latest_[edge]; }

    // Sends the `number`th message over an edge. It waits for the message `window` before it.
    void send(std::size_t edge, std::size_t number, const Transfer& transfer,
              std::vector<Id>& after, Transfers& transfers) {
      Id& oldest = in_flight_[edge * window_ + number % window_];
      if (oldest != InFlight::none) after.push_back(oldest);
      oldest = latest_[edge] = transfers.send(transfer, after);
    }

   private:
    std::size_t window_;
    std::vector<Id> in_flight_;  // by edge and number of the message
    std::vector<Id> latest_;     // by edge
  };

  // Edges from this number on carry bundles.
  std::size_t first_bundled() const {
    return tree_.edges.size() - std::min(tree_.local_fanout, tree_.edges.size());
  }
  std::size_t bundle_of(std::size_t edge) const {
    return edge >= first_bundled() ? cut_.bundle() : 1;
  }

  double bytes(std::size_t segment, std::size_t bundle) const {
    return static_cast<double>(cut_.message_bytes(segment, bundle));
  }

  // The edges below each edge, and those from the root, in the order of their numbers.
  void list_edges_below() {
    const std::size_t edges = tree_.edges.size();
    begin_below_.assign(edges + 2, 0);
    const auto place = [&](std::size_t above) { return above == none ? edges : above; };
    for (const std::size_t above : into_parent_) ++begin_below_[place(above) + 1];
    std::partial_sum(begin_below_.begin(), begin_below_.end(), begin_below_.begin());
    below_.resize(edges);
    std::vector<std::size_t> next(begin_below_);
    for (std::size_t edge = 0; edge < edges; ++edge)
      below_[next[place(into_parent_[edge])]++] = edge;
  }
  std::span<const std::size_t> below(std::size_t edge) const {
    return std::span(below_).subspan(begin_below_[edge],
                                     begin_below_[edge + 1] - begin_below_[edge]);
  }
  std::span<const std::size_t> from_root() const { return below(tree_.edges.size()); }

  void combine(std::size_t segment, Transfers& transfers) {
    for (std::size_t edge = tree_.edges.size(); edge-- > 0;) {
      const std::size_t bundle = bundle_of(edge);
      if (!cut_.begins(segment, bundle)) continue;  // a leaf has sent the whole bundle
      const double size = bytes(segment, bundle);
      after_.clear();
      for (const std::size_t lower : below(edge)) after_.push_back(inwards_.latest(lower));
      inwards_.send(edge, segment / bundle,
                    {tree_.edges[edge].child, tree_.edges[edge].parent, size, combine_ * size},
                    after_, transfers);
    }
  }

  void multicast(std::size_t segment, Transfers& transfers) {
    for (std::size_t edge = 0; edge < tree_.edges.size(); ++edge) {
      const bool bundled = edge >= first_bundled();
      std::vector<Id>& waiting = bundled ? waiting_[edge - first_bundled()] : after_;
      if (!bundled) waiting.clear();
      if (into_parent_[edge] != none) {
        waiting.push_back(outwards_.latest(into_parent_[edge]));
      } else if (flow_ == Flow::combine_then_multicast) {
        for (const std::size_t contribution : from_root())
          waiting.push_back(inwards_.latest(contribution));
      }
      const std::size_t bundle = bundle_of(edge);
      if (!cut_.ends(segment, bundle)) continue;
      outwards_.send(edge, segment / bundle,
                     {tree_.edges[edge].parent, tree_.edges[edge].child, bytes(segment, bundle)},
                     waiting, transfers);
      waiting.clear();
    }
  }

  Flow flow_;
  const Tree& tree_;
  double combine_;
  Segmentation cut_;
  std::vector<std::size_t> into_parent_;  // by edge, the edge above it
  std::vector<std::size_t> begin_below_;  // by edge, and then the root: where its part of below_ is
  std::vector<std::size_t> below_;
  Messages inwards_;
  Messages outwards_;
  std::vector<std::vector<Id>> waiting_;  // by bundled edge, what the next bundle waits for
  std::vector<Id> after_;                 // what a message waits for
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

namespace {

// The transfers that produced each rank's copy of each block, as lists in one vector.
class MakersOfBlocks {
 public:
  using Id = Transfers::Id;

  explicit MakersOfBlocks(std::size_t copies) : latest_(copies, none) {}

  void clear(std::size_t copy) { latest_[copy] = none; }
  void add(std::size_t copy, Id id) {
    makers_.push_back({id, latest_[copy]});
    latest_[copy] = static_cast<std::uint32_t>(makers_.size() - 1);
  }
  template <class Visit>
  void visit(std::size_t copy, const Visit& visit) const {
    for (std::uint32_t next = latest_[copy]; next != none; next = makers_[next].earlier)
      visit(makers_[next].id);
  }

 private:
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);
  struct Maker {
    Id id;
    std::uint32_t earlier;  // of the same copy
  };
  std::vector<std::uint32_t> latest_;  // by copy
  std::vector<Maker> makers_;
};

}  // namespace

void Transfers::add(const Rounds& rounds, const Conditions& conditions,
                    const Pipelining& pipelining, double handling_seconds_per_byte) {
  begin_collective();
  const double copies = rounds.packed ? 2 : 0;  // by the sender and by the receiver
  const std::size_t blocks = conditions.blocks.size();
  MakersOfBlocks makers(static_cast<std::size_t>(rounds.ranks) * blocks);
  const auto copy_of = [&](int rank, std::size_t block) {
    return static_cast<std::size_t>(rank) * blocks + block;
  };
  std::vector<std::vector<Id>> signals(static_cast<std::size_t>(rounds.ranks));
  std::vector<std::vector<Id>> received(signals.size());  // by rank, in its last round with any
  struct Arrival {
    const Exchange* exchange;
    std::size_t first_block;  // packed rounds: no range, all blocks of the exchange
    std::size_t end_block;
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
      const auto travel = [&](const auto& together, std::size_t bytes) {
        after.clear();
        if (rounds.lockstep) after = received[static_cast<std::size_t>(sender)];
        for (const auto block : together) {
          makers.visit(copy_of(sender, static_cast<std::size_t>(block)), [&](Id id) {
            if (after.empty() || after.back() != id) after.push_back(id);
          });
        }
        std::ranges::sort(after);
        after.erase(std::ranges::unique(after).begin(), after.end());
        const auto size = static_cast<double>(bytes);
        const double work =
            (copies + (exchange.combine ? 1 : 0)) * handling_seconds_per_byte * size;
        const Id id = send({sender, receiver, size, work}, after);
        next_received[static_cast<std::size_t>(receiver)].push_back(id);
        return id;
      };
      if (rounds.packed) {
        const Id id = travel(exchange.blocks, bytes_of(exchange.blocks, conditions));
        arrivals.push_back({&exchange, 0, 0, id});
        continue;
      }
      for_each_run(exchange.blocks, conditions, pipelining.segment_bytes, [&](const BlockRun& run) {
        const Id id = travel(std::views::iota(run.first_block, run.end_block), run.bytes);
        arrivals.push_back({&exchange, run.first_block, run.end_block, id});
      });
    }
    for (const auto& [exchange, first, end, id] : arrivals) {
      const auto take = [&, exchange = exchange, id = id](std::size_t block) {
        const std::size_t copy = copy_of(exchange->receiver, block);
        if (!exchange->combine) makers.clear(copy);
        makers.add(copy, id);
      };
      for (std::size_t block = first; block < end; ++block) take(block);
      if (!rounds.packed) continue;
      for (const int block : exchange->blocks) take(static_cast<std::size_t>(block));
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
