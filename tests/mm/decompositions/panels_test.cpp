#include "mm/decompositions/panels.hpp"

#include <cuboid/communicator.hpp>

#include "mm/drivers/summa/panel_feed.hpp"
#include "tests/mm/random_case.hpp"

namespace cuboid::detail {
namespace panels_test {

using test::CaseSource;

std::vector<std::int64_t> widths(const std::vector<GlobalRange<Inner>>& panels) {
  std::vector<std::int64_t> extents;
  for (const auto& panel : panels) extents.push_back(panel.extent());
  return extents;
}

using Widths = std::vector<std::int64_t>;

TEST(Panels, cover_the_inner_dimension_in_order_and_in_width) {
  CaseSource draw(5);
  for (int trial = 0; trial < 500; ++trial) {
    const std::int64_t k = draw.between(0, 300);
    const std::int64_t width = draw.between(1, 80);
    std::vector<BlockCyclic<Inner>> distributions;
    for (std::int64_t count = draw.between(0, 2); count > 0; --count) {
      distributions.emplace_back(k, draw.between(1, 120), static_cast<int>(draw.between(1, 4)));
    }
    const auto panels = cut_panels(k, width, distributions);
    Global<Inner> end(0);
    for (std::size_t index = 0; index < panels.size(); ++index) {
      EXPECT_EQ(panels[index].begin, end);
      EXPECT_LE(panels[index].extent(), width);
      EXPECT_GE(panels[index].extent(), 1);
      if (index + 1 < panels.size()) {
        EXPECT_GE(panels[index].extent(), width / 2);
      }
      end = panels[index].end;
      for (const auto& distribution : distributions) {
        Global<Inner> piece_end = panels[index].begin;
        for (const PanelPiece& piece : panel_pieces(distribution, panels[index])) {
          EXPECT_EQ(piece.range.begin, piece_end);
          EXPECT_EQ(piece.owner, distribution.owner(piece.range.begin));
          EXPECT_EQ(piece.owner, distribution.owner(piece.range.end - 1));
          EXPECT_EQ(piece.local, distribution.local(piece.range.begin));
          piece_end = piece.range.end;
        }
        EXPECT_EQ(piece_end, panels[index].end);
      }
    }
    EXPECT_EQ(end, Global<Inner>(k));
  }
}

TEST(Panels, of_all_owners_cover_the_inner_dimension_once) {
  CaseSource draw(6);
  for (int trial = 0; trial < 500; ++trial) {
    const std::int64_t k = draw.between(0, 300);
    const std::int64_t width = draw.between(1, 80);
    std::vector<BlockCyclic<Inner>> distributions;
    for (std::int64_t count = draw.between(0, 2); count > 0; --count) {
      distributions.emplace_back(k, draw.between(1, 120), static_cast<int>(draw.between(1, 4)));
    }
    std::vector<int> seen(static_cast<std::size_t>(k));
    for (const PanelRanges& panel : panels_of_all_owners(k, width, distributions)) {
      EXPECT_FALSE(panel.empty());
      EXPECT_LE(extent_of(panel), width + std::ssize(panel));
      for (const auto& range : panel) {
        EXPECT_GE(range.extent(), 1);
        for (auto index = range.begin; index < range.end; ++index) {
          ++seen[static_cast<std::size_t>(index.value)];
        }
      }
    }
    EXPECT_EQ(seen, std::vector<int>(static_cast<std::size_t>(k), 1));
  }
}

TEST(Panels, of_all_owners_have_an_equal_part_of_each) {
  const std::vector<BlockCyclic<Inner>> blocks{BlockCyclic<Inner>::blocks(96, 3),
                                               BlockCyclic<Inner>::blocks(96, 4)};
  const auto panels = panels_of_all_owners(96, 24, blocks);
  EXPECT_EQ(panels.size(), 4u);
  for (const PanelRanges& panel : panels) {
    for (const auto& distribution : blocks) {
      std::vector<std::int64_t> of_owner(static_cast<std::size_t>(distribution.processes()));
      for (const PanelPiece& piece : panel_pieces(distribution, panel)) {
        of_owner[static_cast<std::size_t>(piece.owner)] += piece.range.extent();
      }
      for (const std::int64_t width : of_owner) EXPECT_EQ(width, 24 / distribution.processes());
    }
  }
}

TEST(Panels, end_with_long_blocks_and_gather_short_ones) {
  const auto cut = [](std::int64_t k, std::int64_t width, std::int64_t block) {
    const std::vector<BlockCyclic<Inner>> distribution{BlockCyclic<Inner>(k, block, 2)};
    return widths(cut_panels(k, width, distribution));
  };
  EXPECT_EQ(cut(2048, 512, 1024), (Widths{512, 512, 512, 512}));
  EXPECT_EQ(cut(1000, 256, 500), (Widths{250, 250, 250, 250}));
  EXPECT_EQ(cut(668, 256, 334), (Widths{167, 167, 167, 167}));
  EXPECT_EQ(cut(100, 40, 16), (Widths{32, 32, 36}));
  EXPECT_EQ(widths(cut_panels(100, 40, {})), (Widths{33, 33, 34}));
  EXPECT_EQ(widths(cut_panels(0, 40, {})), Widths{});
}

TEST(Panels, delivery_follows_from_the_layout) {
  const GridShape grid(2, 2);
  const PanelTarget target{BlockCyclic<Row>::blocks(100, 2), grid};
  EXPECT_EQ(choose_delivery(Layout::block(100, 80, grid), target, 32), Delivery::broadcast);
  // Another grid, other vectors, and so short blocks that a panel would be sixteen broadcasts.
  EXPECT_EQ(choose_delivery(Layout::block(100, 80, GridShape(4, 1)), target, 32),
            Delivery::redistribute);
  EXPECT_EQ(choose_delivery(Layout::block_cyclic(100, 80, 10, 40, grid), target, 32),
            Delivery::redistribute);
  EXPECT_EQ(choose_delivery(Layout::block_cyclic(100, 80, 50, 2, grid), target, 32),
            Delivery::redistribute);
  EXPECT_EQ(choose_delivery(Layout::block_cyclic(100, 80, 50, 4, grid), target, 32),
            Delivery::broadcast);
  // So short because there is one for each rank.
  const GridShape row(1, 40);
  EXPECT_EQ(
      choose_delivery(Layout::block(100, 80, row), {BlockCyclic<Row>::blocks(100, 1), row}, 32),
      Delivery::broadcast);
  const GridShape column(2, 1);
  EXPECT_EQ(choose_delivery(Layout::block(100, 80, column),
                            {BlockCyclic<Row>::blocks(100, 2), column}, 32),
            Delivery::in_place);
}

TEST(Panels, that_are_abandoned_are_on_their_way_no_more_and_come_anew) {
  run_ranks(2, [](Communicator& communicator) {
    constexpr std::int64_t rows = 512, inner = 512;
    const GridShape grid(1, 2);
    const PanelTarget target{BlockCyclic<Row>::blocks(rows, 1), grid};
    const Layout layout = Layout::block(rows, inner, grid);
    const auto here = grid.position(communicator.rank());
    const std::vector<PanelRanges> panels = panels_in_turn(inner, inner / 2, {});
    const auto feed = make_panel_feed<double>(Delivery::broadcast, layout, target, communicator,
                                              here, panels, PanelPlace());
    const auto bring = [&](std::uint64_t seed) {
      Matrix<double> A(communicator, layout);
      A.fill_random(seed);
      const TallOperand<double> operand = left_operand(Op::none, A);
      feed->start(0, panels[0], operand);
      feed->start(1, panels[1], operand);
      EXPECT_TRUE(feed->in_flight());
      if (seed == 1) {
        feed->abandon();
        EXPECT_FALSE(feed->in_flight());
        return;
      }
      for (int step = 0; step < 2; ++step) {
        const Panel<double> panel = feed->finish(step);
        if (communicator.rank() != step) continue;
        EXPECT_EQ(panel.data, A.local().data);
      }
    };
    bring(1);
    bring(2);
  });
}

}  // namespace panels_test
}  // namespace cuboid::detail
