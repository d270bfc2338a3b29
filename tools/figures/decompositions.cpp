#include "mm/decompositions/cosma_decomposition.hpp"
#include "models/multiplication/lower_bounds.hpp"
#include "models/papers/decomposition_costs.hpp"
#include "tools/figures/figure.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

/// Words that a rank receives: the words it needs without those it owns.
double received(double held, const ProductExtents& product, double ranks) {
  return held - product.elements() / ranks;
}

}  // namespace

Figure decompositions() {
  constexpr ProductExtents product{16384, 16384, 16384};
  constexpr double ranks = 4096;
  Figure figure;
  figure.plot = {
      .title = "Words per rank, m = n = k = 16384, p = 4096 (table 3, general case)",
      .x_axis = "memory S, words per rank",
      .y_axis = "words",
      .logarithmic_y = true,
      .curves = {
          {"2D", {}}, {"2.5D", {}}, {"recursive", {}}, {"COSMA", {}}, {"Irony-Toledo-Tiskin", {}}}};
  const double least = product.elements() / ranks;
  const double most = std::pow(product.work() / ranks, 2.0 / 3);
  for (double memory = least; memory <= 2 * most; memory *= 1.25) {
    const std::array words = {flat_decomposition(product, ranks).words,
                              layered_decomposition(product, ranks, memory).words,
                              recursive_decomposition(product, ranks, memory).words,
                              optimal_decomposition(product, ranks, memory).words,
                              irony_toledo_tiskin_bound(product, ranks, memory)};
    for (std::size_t i = 0; i < words.size(); ++i)
      figure.plot.curves[i].points.emplace_back(memory, words[i]);
  }
  const double memory = 2 * least;
  const double work = product.work() / ranks;
  figure.comparisons = {
      {.what = "2D, words: k(m + n)/sqrt(p) + mn/p",
       .ours = flat_decomposition(product, ranks).words},
      {.what = "2.5D, words, S = twice the matrices",
       .ours = layered_decomposition(product, ranks, memory).words},
      {.what = "recursive, words, same S, as printed: the smaller of two terms",
       .ours = recursive_decomposition(product, ranks, memory).words,
       .paper = 2 * std::min(std::sqrt(3.0 / memory) * work, std::pow(work, 2.0 / 3)) +
                std::pow(work, 2.0 / 3),
       .where = "table 3, general case, as printed",
       .why = "printed with min, but the domain's edge min((mnk/p)^(1/3), sqrt(S/3)) gives max, as "
              "in the table's own special case"},
      {.what = "COSMA, words, same S, as printed: the smaller of two terms",
       .ours = optimal_decomposition(product, ranks, memory).words,
       .paper = std::min(2 * work / std::sqrt(memory) + memory, 3 * std::pow(work, 2.0 / 3)),
       .where = "eq 33, as printed",
       .why = "the second term of eq 33 never exceeds the first; with limited memory the domain of "
              "eq 32 has a = sqrt(S), whose cost is the first term"}};
  return figure;
}

Figure decompositions_of_square() {
  constexpr double n = 16384;
  constexpr ProductExtents product{n, n, n};
  Figure figure;
  figure.plot = {.title = "Words per rank, m = n = k = 16384, S = 2n^2/p (table 3)",
                 .x_axis = "ranks",
                 .y_axis = "words",
                 .logarithmic_y = true,
                 .curves = {{"2D and 2.5D", {}}, {"recursive", {}}, {"COSMA", {}}}};
  // COSMA's domain if only C's share fits beside A and B: a^2 = n^2/p.
  const auto cosma = [&](double ranks) {
    return WorkDomain{n / std::sqrt(ranks), n / std::sqrt(ranks), n}.faces();
  };
  for (double ranks = 8; ranks <= 262144; ranks *= 8) {
    const double memory = 2 * n * n / ranks;
    figure.plot.curves[0].points.emplace_back(ranks, flat_decomposition(product, ranks).words);
    figure.plot.curves[1].points.emplace_back(
        ranks, recursive_decomposition(product, ranks, memory).words);
    figure.plot.curves[2].points.emplace_back(ranks, cosma(ranks));
  }
  for (const double ranks : {64.0, 4096.0}) {
    const double memory = 2 * n * n / ranks;
    const double table = 2 * n * n * (std::sqrt(ranks) + 1) / ranks;
    const auto add = [&](const char* what, double ours, double paper, const char* why) {
      Comparison comparison{.what = fmt::format("{}, p = {:.0f}", what, ranks),
                            .ours = ours,
                            .paper = paper,
                            .where = "table 3, square matrices"};
      if (std::abs(*comparison.difference()) > agreement) comparison.why = why;
      figure.comparisons.push_back(comparison);
    };
    const char* const twice = "the special case has 2n^2/p where the general one gives n^2/p for C";
    add("2D, words", flat_decomposition(product, ranks).words, table, twice);
    add("2.5D, words", layered_decomposition(product, ranks, memory).words, table, twice);
    add("recursive, words", recursive_decomposition(product, ranks, memory).words,
        2 * n * n * (std::sqrt(1.5 / ranks) + 0.5 / std::pow(ranks, 2.0 / 3)), "");
    add("COSMA, words", cosma(ranks), table, twice);
    add("2.5D, messages", layered_decomposition(product, ranks, memory).messages, std::sqrt(ranks),
        "the special case leaves out the factor 2 that the general one gives");
  }
  figure.comparisons.push_back(
      {.what = "recursive over COSMA, p = 262144",
       .ours = recursive_decomposition(product, 262144, 2 * n * n / 262144).words / cosma(262144),
       .paper = std::sqrt(3.0),
       .where = "table 3's caption",
       .why = "the table's own entries give sqrt(3/2) for many ranks: 2n^2*sqrt(3/(2p)) over "
              "2n^2/sqrt(p)"});
  figure.notes = {
      "S = 2n^2/p has no room for all three matrices; COSMA's domain is then that of C's share, "
      "a^2 = n^2/p."};
  return figure;
}

Figure decompositions_of_tall() {
  Figure figure;
  figure.plot = {.title = "Words received per rank, m = n = sqrt(p), k = p^1.5/4 (table 3)",
                 .x_axis = "ranks",
                 .y_axis = "words",
                 .logarithmic_y = true,
                 .curves = {{"2D", {}}, {"2.5D", {}}, {"recursive", {}}, {"COSMA", {}}}};
  for (double ranks = 128; ranks <= 65536; ranks *= 8) {
    const double side = std::sqrt(ranks);
    const ProductExtents product{side, side, std::pow(ranks, 1.5) / 4};
    const double memory = 2 * product.n * product.k / std::pow(ranks, 2.0 / 3);
    const std::array words = {
        flat_decomposition(product, ranks).words,
        layered_decomposition(product, ranks, memory).words,
        received(recursive_domain(product, ranks).faces(), product, ranks),
        received(optimal_decomposition(product, ranks, memory).words, product, ranks)};
    for (std::size_t i = 0; i < words.size(); ++i)
      figure.plot.curves[i].points.emplace_back(ranks, words[i]);
    const std::array papers = {std::pow(ranks, 1.5) / 2,
                               std::pow(ranks, 4.0 / 3) / 2 + std::cbrt(ranks), 0.75 * ranks,
                               ranks * (3 - std::cbrt(2.0)) / std::pow(2.0, 4.0 / 3)};
    constexpr std::array names = {"2D", "2.5D", "recursive", "COSMA"};
    for (std::size_t i = 0; i < words.size(); ++i) {
      figure.comparisons.push_back({.what = fmt::format("{}, words, p = {:.0f}", names[i], ranks),
                                    .ours = words[i],
                                    .paper = papers[i],
                                    .where = "table 3, tall matrices"});
    }
    figure.comparisons.push_back({.what = fmt::format("recursive over COSMA, p = {:.0f}", ranks),
                                  .ours = words[2] / words[3],
                                  .paper = 1.08,
                                  .where = "table 3's caption: 8%"});
  }
  constexpr double single_words = 10e6 / 4;
  figure.comparisons.push_back(
      {.what = "sequential tile, 10 MB: words beyond the bound",
       .ours = sequential_tile(single_words).words_over_bound(single_words) - 1,
       .paper = 0.0003,
       .where = "abstract: 0.03%",
       .why = "one printed digit, and words of unknown length: of 4 bytes here; without rounding a "
              "and b down 0.032%"});
  figure.notes = {
      "The recursive and COSMA entries count words received, without those that a rank owns; the "
      "2D and 2.5D entries count words held."};
  return figure;
}

Figure idle_rank() {
  constexpr std::int64_t n = 4096;
  const ProductSize size{n, n, n};
  const double cubic = static_cast<double>(n) * n * n;
  const auto faces = [&](const BrickGrid& grid) {
    return WorkDomain{static_cast<double>(n) / grid.parts(WorkAxis::rows),
                      static_cast<double>(n) / grid.parts(WorkAxis::columns),
                      static_cast<double>(n) / grid.parts(WorkAxis::inner)}
        .faces();
  };
  const auto all = decompose_for_cosma(size, 65, {.idle_share = 0});
  const auto fitted = decompose_for_cosma(size, 65);
  Figure figure;
  figure.plot = {.title = "Words per rank with and without idle ranks, n = 4096",
                 .x_axis = "ranks",
                 .y_axis = "words",
                 .logarithmic_x = false,
                 .curves = {{"all ranks", {}}, {"up to 3% idle", {}}}};
  for (int ranks = 60; ranks <= 72; ++ranks) {
    figure.plot.curves[0].points.emplace_back(
        ranks, faces(decompose_for_cosma(size, ranks, {.idle_share = 0}).grid));
    figure.plot.curves[1].points.emplace_back(ranks, faces(decompose_for_cosma(size, ranks).grid));
  }
  figure.comparisons = {{.what = "ranks used of 65",
                         .ours = static_cast<double>(fitted.grid.ranks()),
                         .paper = 64,
                         .where = "fig 5's caption"},
                        {.what = "work of 64 ranks over work of 65",
                         .ours = fitted.grid.busiest().work / (cubic / 65),
                         .paper = 1.015,
                         .where = "fig 5's caption"},
                        {.what = "words saved by one idle rank",
                         .ours = 1 - faces(fitted.grid) / faces(all.grid),
                         .paper = 0.36,
                         .where = "fig 5's caption"}};
  return figure;
}

}  // namespace cuboid::detail::tools
