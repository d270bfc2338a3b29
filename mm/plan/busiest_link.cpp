#include "mm/plan/busiest_link.hpp"

#include "mm/plan/routed_load.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

/// The distances from a rank to the ranks that differ from it only in the part of one split.
std::vector<int> others_of_split(const BrickGrid& bricks, int rank, std::size_t split) {
  int stride = 1;
  for (std::size_t later = split + 1; later < bricks.splits().size(); ++later)
    stride *= bricks.splits()[later].parts;
  const int mine = bricks.digit(rank, split);
  std::vector<int> others;
  for (int part = 0; part < bricks.splits()[split].parts; ++part) {
    if (part != mine) others.push_back(rank + (part - mine) * stride);
  }
  return others;
}

/// One of the exchanges along an axis, which share a face and follow one another.
struct Stage {
  std::size_t split = 0;
  double words = 0;  ///< words that each rank has before the exchange
};

std::vector<Stage> stages_of(const BrickGrid& bricks, WorkAxis across, double face) {
  std::vector<Stage> stages;
  double words = face / bricks.parts(across);
  for (std::size_t split = 0; split < bricks.splits().size(); ++split) {
    if (bricks.splits()[split].along != across) continue;
    stages.push_back({split, words});
    words *= bricks.splits()[split].parts;
  }
  return stages;
}

void exchange(RoutedLoad& load, const BrickGrid& bricks, const Stage& stage) {
  for (const int rank : load.followed()) {
    if (rank < bricks.ranks())
      load.multicast(rank, others_of_split(bricks, rank, stage.split), stage.words);
  }
}

/// The blocks of one operand that rotate.
struct RotatingSide {
  Side side = Side::left;
  double words = 0;  ///< words of a block
};

int rank_on_line(const GridShape& grid, Side side, GridPosition position, int place) {
  (side == Side::left ? position.column : position.row) = place;
  return grid.rank(position);
}

/// Adds the messages that bring this rank the blocks that it multiplies before any other rank of
/// its line.
void stagger(RoutedLoad& load, const GridShape& grid, const Rotation& rotation,
             const RotatingSide& blocks, const GridPosition& here) {
  for (int step = 0; step < rotation.steps(); ++step) {
    if (!rotation.begins(blocks.side, step)) continue;
    const int home = rotation.home(blocks.side, here, step);
    load.send(rank_on_line(grid, blocks.side, here, home), grid.rank(here), blocks.words);
  }
}

void shift(RoutedLoad& load, const GridShape& grid, const Rotation& rotation,
           const RotatingSide& blocks, const GridPosition& here, int step) {
  const auto onward = rotation.onward(blocks.side, here, step);
  if (!onward) return;
  load.send(grid.rank(here), rank_on_line(grid, blocks.side, here, onward->to), blocks.words);
}

/// The load of the second of two multiplications in sequence. In the second, links use the burst
/// credit of the first.
template <class Load, class Multiplication>
BusiestLink of_the_second(Load load, const BurstCredit& burst_credit,
                          const Multiplication& multiplication) {
  if (burst_credit.words > 0) multiplication(load);
  return multiplication(load);
}

}  // namespace

BusiestLink busiest_link_of_srumma(const GridShape& grid, const ProductSize& size,
                                   const Placement& placement, const BurstCredit& burst_credit) {
  const auto along_rows = BlockCyclic<Inner>::even(size.k, grid.columns());
  const auto along_columns = BlockCyclic<Inner>::even(size.k, grid.rows());
  const double height = static_cast<double>(size.m) / grid.rows();
  const double breadth = static_cast<double>(size.n) / grid.columns();
  const auto get = [&](RoutedLoad& load, const GridPosition& here) {
    for (const auto& [column, as_many] : load.of_line(grid.columns())) {
      const double depth = as_many * static_cast<double>(along_rows.local_extent(column));
      load.send(grid.rank({here.row, column}), grid.rank(here), height * depth);
    }
    for (const auto& [row, as_many] : load.of_line(grid.rows())) {
      const double depth = as_many * static_cast<double>(along_columns.local_extent(row));
      load.send(grid.rank({row, here.column}), grid.rank(here), breadth * depth);
    }
  };
  return of_the_second(RoutedLoad(placement, burst_credit.words), burst_credit,
                       [&](RoutedLoad& load) {
                         for (const int rank : load.followed()) {
                           if (const auto here = grid.position(rank)) get(load, *here);
                         }
                         return BusiestLink{.operands = load.take_busiest()};
                       });
}

BusiestLink busiest_link_of_rotations(const GridShape& grid, std::span<const Rotation> colours,
                                      const ProductSize& size, const Placement& placement,
                                      const BurstCredit& burst_credit) {
  const int steps = colours.front().steps();
  const double width = static_cast<double>(size.k) / steps / static_cast<double>(colours.size());
  const std::array operands{
      RotatingSide{Side::left, static_cast<double>(size.m) / grid.rows() * width},
      RotatingSide{Side::right, static_cast<double>(size.n) / grid.columns() * width}};
  const auto for_each_block = [&](const RoutedLoad& load, const auto& visit) {
    for (const Rotation& rotation : colours) {
      for (const RotatingSide& blocks : operands) {
        for (const int rank : load.followed()) {
          if (const auto here = grid.position(rank)) visit(rotation, blocks, *here);
        }
      }
    }
  };
  return of_the_second(
      RoutedLoad(placement, burst_credit.words), burst_credit, [&](RoutedLoad& load) {
        for_each_block(
            load, [&](const Rotation& rotation, const RotatingSide& blocks,
                      const GridPosition& here) { stagger(load, grid, rotation, blocks, here); });
        BusiestLink busiest{load.take_busiest(), 0};
        for (int step = 0; step < steps; ++step) {
          for_each_block(load, [&](const Rotation& rotation, const RotatingSide& blocks,
                                   const GridPosition& here) {
            shift(load, grid, rotation, blocks, here, step);
          });
          busiest.operands += load.take_busiest();
        }
        return busiest;
      });
}

BusiestLink busiest_link_of_bricks(const BrickGrid& bricks, const Placement& placement,
                                   const BurstCredit& burst_credit) {
  const auto& [m, n, k] = bricks.size();
  const auto face = [&](std::int64_t one, WorkAxis along, std::int64_t other, WorkAxis across) {
    return static_cast<double>(one) / bricks.parts(along) * static_cast<double>(other) /
           bricks.parts(across);
  };
  using enum WorkAxis;
  const auto of_a = stages_of(bricks, columns, face(m, rows, k, inner));
  const auto of_b = stages_of(bricks, rows, face(k, inner, n, columns));
  const auto of_c = stages_of(bricks, inner, face(m, rows, n, columns));
  return of_the_second(
      RoutedLoad(placement, burst_credit.words), burst_credit, [&](RoutedLoad& load) {
        BusiestLink busiest;
        for (std::size_t stage = 0; stage < std::max(of_a.size(), of_b.size()); ++stage) {
          if (stage < of_a.size()) exchange(load, bricks, of_a[stage]);
          if (stage < of_b.size()) exchange(load, bricks, of_b[stage]);
          busiest.operands += load.take_busiest();
        }
        load.rest(burst_credit.while_multiplying);
        for (const Stage& stage : of_c) {
          exchange(load, bricks, stage);
          busiest.sums += load.take_busiest();
        }
        return busiest;
      });
}

BusiestLink busiest_link_of_lines(const WordsOfLines& words, const BurstCredit& burst_credit) {
  constexpr std::size_t of_a = 0, of_b = 1, of_c = 2, links = 3;
  return of_the_second(LinkLoad(links, burst_credit.words), burst_credit, [&](LinkLoad& load) {
    load.add(of_a, words.a);
    load.add(of_b, words.b);
    BusiestLink busiest{load.take_busiest(), 0};
    load.add(of_c, words.c);
    busiest.sums = load.take_busiest();
    return busiest;
  });
}

}  // namespace cuboid::detail
