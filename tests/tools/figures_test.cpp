#include <cuboid/error.hpp>

#include "tools/figures/figure.hpp"
#include "tools/output/plot.hpp"

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

namespace cuboid::detail::tools {
namespace figures_test {

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

TEST(Figures, ShowThePapersNumbersAsPointsBesideTheirCurves) {
  int shown = 0;
  for (const FigureEntry& entry : figures()) {
    const Figure figure = entry.make();
    const Plot plot = figure.plot_with_printed();
    if (plot.curves.size() == figure.plot.curves.size()) continue;
    const Curve& of_paper = plot.curves.back();
    EXPECT_TRUE(of_paper.points_only) << entry.name;
    const auto& xs = figure.plot.curves.front().points;
    for (const auto& [x, y] : of_paper.points) {
      ++shown;
      EXPECT_TRUE(std::ranges::any_of(xs, [at = x](const auto& one) { return one.first == at; }))
          << entry.name << ": " << x;
    }
    for (const Comparison& one : figure.comparisons) {
      // A number of ours stands on one of the curves, so the paper's has the curves' unit.
      if (!one.x) continue;
      EXPECT_TRUE(std::ranges::any_of(
          figure.plot.curves,
          [&](const Curve& curve) {
            return std::ranges::any_of(curve.points, [&](const auto& point) {
              return point.first == *one.x && std::abs(point.second / one.ours - 1) < 1e-9;
            });
          }))
          << entry.name << ": " << one.what;
    }
  }
  EXPECT_EQ(shown, 13);
}

TEST(Plots, ShowTheBestCurves) {
  Plot plot{.title = "time", .x_axis = "", .y_axis = "", .curves = {}};
  plot.curves = {{"never good", {{1, 9}, {2, 9}}},
                 {"best first", {{1, 1}, {2, 8}}},
                 {"nearly", {{1, 3}, {2, 2}}},
                 {"best then", {{1, 7}, {2, 1}}}};
  Plot high = plot;
  keep_best(plot, 3, false);
  EXPECT_EQ(plot.title, "time (the best 3 of 4)");
  ASSERT_EQ(plot.curves.size(), 3U);
  EXPECT_EQ(plot.curves[0].name, "best first");
  EXPECT_EQ(plot.curves[2].name, "best then");
  keep_best(high, 1, true);
  ASSERT_EQ(high.curves.size(), 1U);
  EXPECT_EQ(high.curves[0].name, "never good");
}

// No row can have a number of a paper but one that is listed with the place that prints it.
static_assert(!std::is_copy_constructible_v<PrintedNumber>);
static_assert(!std::is_constructible_v<PrintedNumber, std::string_view, double, std::string_view,
                                       std::string_view, std::string_view>);
static_assert(!std::is_aggregate_v<PrintedNumber>);

TEST(PrintedNumbers, SayWhereAPaperPrintsThem) {
  std::set<std::string_view> names;
  const std::regex place("(abstract|(§|figure |table )[0-9IV].*)");
  const std::set<std::string_view> papers{"Solomonik et al. 2011", "Quintin et al. 2013",
                                          "Kwasniewski et al. 2019", "Krishnan and Nieplocha 2004",
                                          "Solomonik and Demmel 2012"};
  for (const PrintedNumber& one : printed_numbers()) {
    EXPECT_TRUE(names.insert(one.name()).second) << one.name();
    EXPECT_TRUE(papers.contains(one.paper())) << one.name();
    EXPECT_TRUE(std::regex_match(std::string(one.place()), place)) << one.name();
    EXPECT_FALSE(one.what().empty()) << one.name();
  }
  EXPECT_THROW(printed("pi"), Error);
}

TEST(PrintedNumbers, AreComparedOnceEach) {
  std::multiset<std::string_view> compared;
  for (const FigureEntry& entry : figures()) {
    for (const Comparison& one : entry.make().comparisons)
      if (one.printed) compared.insert(one.printed->name());
  }
  for (const PrintedNumber& one : printed_numbers())
    EXPECT_EQ(compared.count(one.name()), 1U) << one.name();
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
  const PrintedNumber& half = printed("binomial-ring-measured");
  EXPECT_DOUBLE_EQ(*Comparison(half, 0.75).difference(), 0.5);
  EXPECT_EQ(Comparison(half, 0.75).why, Comparison::not_understood);
  EXPECT_EQ(Comparison(half, 0.75, "a calculation").why, "a calculation");
  EXPECT_EQ(Comparison(half, 0.51, "a calculation").why, "");
  EXPECT_FALSE(Comparison("a formula", 3).difference());
}

TEST(Plot, TextCannotLeaveItsQuotes) {
  const std::string script = gnuplot_commands(
      {.title = "it's", .x_axis = "x", .y_axis = "y", .curves = {{"c", {{1, 2}}}}});
  EXPECT_NE(script.find("set title 'it''s'"), std::string::npos) << script;
  EXPECT_NE(script.find("1 2\n"), std::string::npos) << script;
}

TEST(Plot, NoCurveIsHiddenBehindAnother) {
  const std::string script =
      gnuplot_commands({.title = "",
                        .x_axis = "x",
                        .y_axis = "y",
                        .curves = {{"below", {{1, 2}}}, {"above", {{1, 2}}}}});
  EXPECT_NE(script.find("lw 3 dt 1 pt 7 ps 0.7 lc rgb '#4477aa' title 'below'"), std::string::npos)
      << script;
  EXPECT_NE(script.find("lw 2 dt 2 pt 5 ps 0.7 lc rgb '#ee6677' title 'above'"), std::string::npos)
      << script;
}

TEST(Plot, TicksArePowersOfTwo) {
  const auto script = [](double x) {
    return gnuplot_commands(
        {.title = "", .x_axis = "x", .y_axis = "y", .curves = {{"c", {{x, 1}}}}});
  };
  EXPECT_NE(script(4096).find("set logscale x 2\nset format x '%.0f'"), std::string::npos);
  EXPECT_NE(script(1 << 22).find("set format x '2^{%L}'"), std::string::npos);
}

}  // namespace figures_test
}  // namespace cuboid::detail::tools
