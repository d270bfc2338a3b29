#include "collectives/rounds/bucket.hpp"

#include "collectives/schedules/slices.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

namespace cuboid::detail {

namespace {

std::vector<int> long_axes(const Shape& shape, std::optional<int> last) {
  std::vector<int> axes;
  for (int axis = 0; axis < shape.dimensions(); ++axis) {
    if (shape.extent(axis) > 1 && axis != last) axes.push_back(axis);
  }
  return axes;
}

// By axis, the fraction of a colour's share that crosses the busiest link of the axis.
std::vector<double> crossings(const Shape& shape, const std::vector<int>& order,
                              std::optional<int> last) {
  std::vector<double> crossing(static_cast<std::size_t>(shape.dimensions()), 0);
  double nodes = 1;
  for (const int axis : order) nodes *= axis == last ? 1 : shape.extent(axis);
  double bundle = 1 / nodes;
  for (const int axis : order) {
    if (axis == last) continue;
    crossing[static_cast<std::size_t>(axis)] = bundle * (shape.extent(axis) - 1);
    bundle *= shape.extent(axis);
  }
  return crossing;
}

std::vector<int> beginning_with(const std::vector<int>& axes, std::size_t first) {
  std::vector<int> order;
  for (std::size_t turn = 0; turn < axes.size(); ++turn)
    order.push_back(axes[(first + turn) % axes.size()]);
  return order;
}

// By axis, the time of its busiest link. On a ring the two directions share what both directions of
// a line carry.
std::vector<double> loads_of(const Shape& shape, std::span<const BucketColour> colours,
                             std::optional<int> last, std::span<const double> rates) {
  std::vector<double> loads(static_cast<std::size_t>(shape.dimensions()), 0);
  for (const BucketColour& colour : colours) {
    const std::vector<double> crossing = crossings(shape, colour.axes, last);
    for (std::size_t axis = 0; axis < loads.size(); ++axis) {
      const double ways = shape.wraps(static_cast<int>(axis)) ? 2 : 1;
      const double rate = rates.empty() ? 1 : rates[axis];
      loads[axis] += colour.share * crossing[axis] / (ways * rate);
    }
  }
  return loads;
}

void make_whole(std::vector<BucketColour>& orders) {
  double sum = 0;
  for (const BucketColour& order : orders) sum += order.share;
  for (BucketColour& order : orders) order.share /= sum;
}

// Gives orders whose last axis is busier than others a smaller share, in many small steps. Orders
// that end up with almost nothing are dropped.
void balance(const Shape& shape, std::vector<BucketColour>& orders, std::optional<int> last,
             std::span<const double> rates) {
  constexpr int turns = 200;
  constexpr double hardly_any = 0.01;
  for (int turn = 0; turn < turns; ++turn) {
    const std::vector<double> loads = loads_of(shape, orders, last, rates);
    for (BucketColour& order : orders)
      order.share /= std::sqrt(loads[static_cast<std::size_t>(order.axes.back())]);
    make_whole(orders);
  }
  if (rates.empty()) return;
  std::erase_if(orders, [](const BucketColour& order) { return order.share < hardly_any; });
  make_whole(orders);
}

// What one colour sends and receives at one node in each of its rounds.
class ColourAtNode {
 public:
  ColourAtNode(const Shape& shape, const BucketColour& colour, int first_piece, NodeIndex node)
      : shape_(shape), colour_(colour), node_(node), here_(shape.coordinate(node)) {
    int stride = bucket_parts(shape);
    rest_ = first_piece;
    for (const int axis : colour.axes) {
      rest_ += at(axis) * stride;
      stride *= shape.extent(axis);
    }
  }

  /// Calls send(round, to, first, count) and receive(round, from, first, count) of pieces.
  template <class Send, class Receive>
  void walk(const Send& send, const Receive& receive) {
    std::size_t round = 0;
    int bundle = bucket_parts(shape_);  // the number of pieces that were gathered so far
    for (const int axis : colour_.axes) {
      rest_ -= at(axis) * bundle;
      for (int step = 1; step <= bucket_rounds(shape_, axis); ++step, ++round) {
        pass_on(axis, +1, step, bundle, round, send, receive);
        pass_on(axis, -1, step, bundle, round, send, receive);
      }
      bundle *= shape_.extent(axis);
    }
  }

 private:
  int at(int axis) const { return here_[static_cast<std::size_t>(axis)]; }

  // In each step a node forwards the bundle that it got in the step before: first its own, then
  // that of the node behind it, and so on. Half of the opposite node's bundle comes from either
  // side.
  template <class Send, class Receive>
  void pass_on(int axis, int direction, int step, int bundle, std::size_t round, const Send& send,
               const Receive& receive) {
    const auto there = [&](int steps) { return at(axis) + direction * steps; };
    const auto exists = [&](int place) {
      return shape_.wraps(axis) || (place >= 0 && place < shape_.extent(axis));
    };
    const int extent = shape_.extent(axis);
    const bool is_opposite = shape_.wraps(axis) && 2 * step == extent;
    const int pieces = is_opposite ? bundle / 2 : bundle;
    const int skipped = is_opposite && direction < 0 ? pieces : 0;
    const auto first = [&](int place) {
      return rest_ + (place % extent + extent) % extent * bundle + skipped;
    };
    if (exists(there(1 - step)) && exists(there(1)))
      send(round, shape_.neighbour(node_, axis, direction), first(there(1 - step)), pieces);
    if (exists(there(-step)))
      receive(round, shape_.neighbour(node_, axis, -direction), first(there(-step)), pieces);
  }

  const Shape& shape_;
  const BucketColour& colour_;
  NodeIndex node_;
  Coordinate here_;
  int rest_ = 0;  // the first piece of the node's coordinates along the axes still to come
};

// The rounds of an all-gather or, with `combine`, the same messages backwards: a reduce-scatter.
// All ranks send the messages of a round in the same order, so that each message arrives everywhere
// at the same time.
Rounds rounds_of(const Shape& shape, std::span<const BucketColour> colours,
                 std::span<const int> rank_at, std::optional<int> only, bool combine) {
  const auto nodes = static_cast<int>(shape.nodes());
  std::size_t count = 0;
  for (int axis = 0; axis < shape.dimensions(); ++axis)
    count += static_cast<std::size_t>(bucket_rounds(shape, axis));
  const int pieces_of_colour = nodes * bucket_parts(shape);
  const auto passes = static_cast<std::size_t>(colours.back().pass) + 1;
  Rounds rounds{.ranks = nodes, .rounds = std::vector<std::vector<Exchange>>(passes * count)};
  const auto add = [&](std::size_t round, NodeIndex from, NodeIndex to, int first, int pieces) {
    Exchange& exchange = rounds.rounds[round].emplace_back();
    exchange.sender = rank_at[static_cast<std::size_t>(from)];
    exchange.receiver = rank_at[static_cast<std::size_t>(to)];
    exchange.combine = combine;
    exchange.blocks = BlockSet::consecutive(first, pieces);
  };
  const auto add_all_of = [&](NodeIndex node) {
    for (std::size_t number = 0; number < colours.size(); ++number) {
      const std::size_t earlier = static_cast<std::size_t>(colours[number].pass) * count;
      const auto gives = [&](std::size_t round, NodeIndex to, int first, int pieces) {
        add(earlier + round, node, to, first, pieces);
      };
      const auto gets = [&](std::size_t round, NodeIndex from, int first, int pieces) {
        add(earlier + round, from, node, first, pieces);
      };
      const auto nothing = [](std::size_t, NodeIndex, int, int) {};
      ColourAtNode at_node(shape, colours[number], static_cast<int>(number) * pieces_of_colour,
                           node);
      if (only && combine) {
        at_node.walk(gets, gives);
      } else if (only) {
        at_node.walk(gives, gets);
      } else if (combine) {
        at_node.walk(nothing, gives);
      } else {
        at_node.walk(gives, nothing);
      }
    }
  };
  if (only) {
    add_all_of(*only);
  } else {
    for (NodeIndex node = 0; node < nodes; ++node) add_all_of(node);
  }
  for (auto& round : rounds.rounds) std::ranges::stable_sort(round, {}, &Exchange::sender);
  if (combine) std::ranges::reverse(rounds.rounds);
  return rounds;
}

}  // namespace

std::vector<BucketColour> bucket_colours(const Shape& shape, std::optional<int> last, int passes,
                                         std::span<const double> rates) {
  const std::vector<int> axes = long_axes(shape, last);
  std::vector<BucketColour> orders;
  for (std::size_t first = 0; first < axes.size(); ++first)
    orders.push_back({beginning_with(axes, first), 1.0 / static_cast<double>(axes.size())});
  balance(shape, orders, last, rates);
  std::vector<BucketColour> colours;
  for (BucketColour& order : orders) {
    if (last && shape.extent(*last) > 1) order.axes.push_back(*last);
    order.share /= passes;
  }
  for (int pass = 0; pass < passes; ++pass) {
    for (const BucketColour& order : orders) {
      colours.push_back(order);
      colours.back().pass = pass;
    }
  }
  return colours;
}

double busiest_bucket_link(const Shape& shape, std::span<const BucketColour> colours,
                           std::optional<int> last, std::span<const double> rates) {
  return std::ranges::max(loads_of(shape, colours, last, rates));
}

int bucket_rounds(const Shape& shape, int axis) {
  const int extent = shape.extent(axis);
  return shape.wraps(axis) ? extent / 2 : extent - 1;
}

int bucket_parts(const Shape& shape) {
  const bool any_even_ring = std::ranges::any_of(
      shape.axes(), [](const Axis& axis) { return axis.wraps && axis.extent % 2 == 0; });
  return any_even_ring ? 2 : 1;
}

Rounds bucket_allgather(const Shape& shape, std::span<const BucketColour> colours,
                        std::span<const int> rank_at, std::optional<int> only) {
  return rounds_of(shape, colours, rank_at, only, false);
}

Rounds bucket_reduce_scatter(const Shape& shape, std::span<const BucketColour> colours,
                             std::span<const int> rank_at, std::optional<int> only) {
  return rounds_of(shape, colours, rank_at, only, true);
}

Rounds bucket_allreduce(const Shape& shape, std::span<const BucketColour> colours,
                        std::span<const int> rank_at, std::optional<int> only) {
  Rounds rounds = bucket_reduce_scatter(shape, colours, rank_at, only);
  Rounds back = bucket_allgather(shape, colours, rank_at, only);
  std::ranges::move(back.rounds, std::back_inserter(rounds.rounds));
  return rounds;
}

namespace {

std::vector<double> shares_of(std::span<const BucketColour> colours) {
  std::vector<double> shares;
  for (const BucketColour& colour : colours) shares.push_back(colour.share);
  return shares;
}

// The slices of a block that its pieces are, by colour and part.
std::vector<std::vector<Slice>> slices_of(const Shape& shape, std::size_t block_bytes,
                                          std::span<const double> shares,
                                          std::size_t element_bytes) {
  const auto parts = static_cast<std::size_t>(bucket_parts(shape));
  std::vector<std::vector<Slice>> slices;
  for (const Slice& of_colour : cut({0, block_bytes}, shares, element_bytes))
    slices.push_back(cut(of_colour, parts, element_bytes));
  return slices;
}

// All nodes in the order in which a colour takes them, as turns along its axes.
std::vector<Pieces::PieceTurn> turns_of(const Shape& shape, const BucketColour& colour) {
  std::vector<Pieces::PieceTurn> turns;
  for (const int axis : colour.axes)
    turns.push_back({static_cast<std::size_t>(shape.extent(axis)),
                     static_cast<std::size_t>(shape.stride(axis))});
  return turns;
}

std::vector<Piece> pieces_of_node(std::size_t node, std::span<const Slice> slices) {
  std::vector<Piece> pieces;
  for (const Slice& slice : slices) pieces.push_back({node, slice});
  return pieces;
}

}  // namespace

Pieces bucket_pieces(const Shape& shape, std::span<const BucketColour> colours,
                     const Conditions& conditions, std::size_t element_bytes) {
  const auto of_a_colour = static_cast<std::size_t>(shape.nodes() * bucket_parts(shape));
  Pieces pieces;
  for (const Slice& of_colour :
       cut({0, conditions.blocks.at(0).slice.bytes}, shares_of(colours), element_bytes))
    pieces.add(pieces_of_node(0, cut(of_colour, of_a_colour, element_bytes)));
  return pieces;
}

Pieces bucket_pieces(const Shape& shape, std::span<const BucketColour> colours,
                     std::span<const int> rank_at, const Conditions& conditions,
                     std::size_t element_bytes) {
  const std::vector<double> shares = shares_of(colours);
  int next = 0;
  const bool in_order = std::ranges::all_of(rank_at, [&](int rank) { return rank == next++; });
  Pieces pieces(in_order ? std::vector<int>{} : std::vector<int>(rank_at.begin(), rank_at.end()));
  if (const auto bytes = conditions.blocks.equal_bytes()) {
    const auto slices = slices_of(shape, *bytes, shares, element_bytes);
    for (std::size_t colour = 0; colour < colours.size(); ++colour)
      pieces.add(pieces_of_node(0, slices[colour]), turns_of(shape, colours[colour]));
    return pieces;
  }
  for (std::size_t colour = 0; colour < colours.size(); ++colour) {
    Pieces nodes;
    nodes.add({{}}, turns_of(shape, colours[colour]));
    std::vector<Piece> of_colour;
    std::vector<Slice> slices;
    std::size_t bytes = 0;  // of the block of these slices
    for (std::size_t place = 0; place < nodes.size(); ++place) {
      const std::size_t node = nodes[place].block;
      const auto block = static_cast<std::size_t>(rank_at[node]);
      if (const std::size_t now = conditions.blocks[block].slice.bytes;
          slices.empty() || bytes != now) {
        slices = slices_of(shape, now, shares, element_bytes)[colour];
        bytes = now;
      }
      for (const Slice& slice : slices) of_colour.push_back({node, slice});
    }
    pieces.add(std::move(of_colour));
  }
  return pieces;
}

}  // namespace cuboid::detail
