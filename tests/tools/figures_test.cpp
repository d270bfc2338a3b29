#include "tools/figures/figure.hpp"
#include "tools/output/plot.hpp"

#include <cmath>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace cuboid::detail::tools {
namespace {

TEST(Figures, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const FigureEntry& entry : figures()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_EQ(find_figure(entry.name), &entry);
  }
  EXPECT_EQ(find_figure("list"), nullptr);
}

TEST(Figures, SayWhyTheyDifferAndOnlyThen) {
  for (const FigureEntry& entry : figures()) {
    for (const Comparison& one : entry.make().comparisons) {
      EXPECT_TRUE(std::isfinite(one.ours)) << entry.name << ": " << one.what;
      const auto difference = one.difference();
      const bool agrees = !difference || std::abs(*difference) <= agreement;
      EXPECT_EQ(one.why.empty(), agrees) << entry.name << ": " << one.what;
    }
  }
}

// A formula of the paper typed once more is no comparison.
TEST(Figures, NumbersOfAPaperSayWhereTheyArePrinted) {
  for (const FigureEntry& entry : figures()) {
    for (const Comparison& one : entry.make().comparisons) {
      const bool names_a_place = one.where.find_first_of("0123456789IV") != std::string::npos;
      EXPECT_EQ(one.paper.has_value(), names_a_place) << entry.name << ": " << one.what;
    }
  }
}

TEST(Figures, CurvesOfAFigureHaveTheirPointsAtTheSamePlaces) {
  for (const FigureEntry& entry : figures()) {
    const Plot plot = entry.make().plot;
    ASSERT_FALSE(plot.curves.empty()) << entry.name;
    const auto& first = plot.curves.front().points;
    EXPECT_GE(first.size(), 3U) << entry.name;
    for (const Curve& curve : plot.curves) {
      ASSERT_EQ(curve.points.size(), first.size()) << entry.name << ": " << curve.name;
      for (std::size_t i = 0; i < first.size(); ++i) {
        EXPECT_EQ(curve.points[i].first, first[i].first) << entry.name << ": " << curve.name;
        EXPECT_TRUE(std::isfinite(curve.points[i].second)) << entry.name << ": " << curve.name;
      }
    }
  }
}

TEST(Comparison, DifferenceIsAShareOfThePapers) {
  EXPECT_DOUBLE_EQ(*(Comparison{"", 3, 2}).difference(), 0.5);
  EXPECT_FALSE((Comparison{"", 3}).difference());
  EXPECT_FALSE((Comparison{"", 3, 0}).difference());
}

TEST(Plot, TextCannotLeaveItsQuotes) {
  const std::string script = gnuplot_commands(
      {.title = "it's", .x_axis = "x", .y_axis = "y", .curves = {{"c", {{1, 2}}}}});
  EXPECT_NE(script.find("set title 'it''s'"), std::string::npos) << script;
  EXPECT_NE(script.find("1 2\n"), std::string::npos) << script;
}

}  // namespace
}  // namespace cuboid::detail::tools
