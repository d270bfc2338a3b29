#include "mm/decompositions/cosma_decomposition.hpp"
#include "models/multiplication/lower_bounds.hpp"
#include "tools/figures/figure.hpp"
#include "tools/papers/decomposition_costs.hpp"
#include "tools/papers/sequential_schedule.hpp"

#include <array>
#include <cmath>
#include <string>

namespace cuboid::detail::tools {

namespace {

/// The words that a rank receives: the words that it needs without the words that it owns.
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
  const std::string with_memory = "words, S = twice the matrices";
  figure.comparisons = {
      {"2D, words: k(m + n)/sqrt(p) + mn/p", flat_decomposition(product, ranks).words},
      {"2.5D, " + with_memory, layered_decomposition(product, ranks, memory).words},
      {"recursive, " + with_memory, recursive_decomposition(product, ranks, memory).words},
      {"COSMA, " + with_memory, optimal_decomposition(product, ranks, memory).words}};
  figure.notes = {
      "The table prints formulas, which ours implement, with two corrections. Recursive: printed "
      "with the lesser of two terms, but a domain's edge min((mnk/p)^(1/3), sqrt(S/3)) gives the "
      "greater, as the table's own special case has it. COSMA: the second term of eq 33 never "
      "exceeds the first; where memory is short, eq 32 has a = sqrt(S), whose cost is the first."};
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
  // COSMA's domain if only a rank's share of C fits beside its shares of A and B: a^2 = n^2/p.
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
  figure.comparisons = {
      {printed("square-recursive"),
       recursive_decomposition(product, 262144, 2 * n * n / 262144).words / cosma(262144),
       "the table's own entries: 2n^2*sqrt(3/(2p)) + n^2/p^(2/3) over 2n^2/sqrt(p) + n^2/p, which "
       "is 1.286 for p = 262,144, and sqrt(3/2) = 1.22 for many more"}};
  figure.notes = {
      "S = 2n^2/p has no room for all three matrices; COSMA's domain is then that of C's share, "
      "a^2 = n^2/p.",
      "The special case prints 2n^2(sqrt(p) + 1)/p, where the general formulas give n^2/p for C, "
      "half of its last term; and sqrt(p) messages of 2.5D, where the general one gives twice "
      "that."};
  return figure;
}

Figure decompositions_of_tall() {
  Figure figure;
  figure.plot = {.title = "Words received per rank, m = n = sqrt(p), k = p^1.5/4 (table 3)",
                 .x_axis = "ranks",
                 .y_axis = "words",
                 .logarithmic_y = true,
                 .curves = {{"2D", {}}, {"2.5D", {}}, {"recursive", {}}, {"COSMA", {}}}};
  constexpr double last = 65536;
  for (double ranks = 128; ranks <= last; ranks *= 8) {
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
    if (ranks < last) continue;
    figure.comparisons = {{printed("tall-recursive"), words[2] / words[3]},
                          {printed("tall-cosma"), words[3] / ranks}};
  }
  figure.notes = {
      "The recursive and COSMA entries count words received, without those that a rank owns; the "
      "2D and 2.5D entries count words held."};
  return figure;
}

Figure traded_words() {
  constexpr ProductExtents product{16384, 16384, 16384};
  constexpr double ranks = 4096;
  // Memory for a cube's face of C, and equally much for the data that arrives.
  const double memory = 2 * std::pow(product.work() / ranks, 2.0 / 3);
  const double best = optimal_work_domain(product, ranks, memory).rows;
  const auto at = [&](double a) { return traded_decomposition(product, ranks, memory, a); };
  Figure figure;
  figure.plot = {.title = "Words and steps over the side a of C's face, n = 16384, p = 4096",
                 .x_axis = "a",
                 .y_axis = "over those of the fewest words",
                 .curves = {{"words Q", {}}, {"steps L", {}}}};
  for (double share = 1.0 / 8; share <= 1; share *= std::sqrt(2)) {
    const CommunicationCost cost = at(share * best);
    figure.plot.curves[0].points.emplace_back(share * best, cost.words / at(best).words);
    figure.plot.curves[1].points.emplace_back(share * best, cost.messages / at(best).messages);
  }
  const double half = best / 2;
  figure.comparisons = {{"a of the fewest words: (mnk/p)^(1/3)", best},
                        {"words for half of it, over the fewest", at(half).words / at(best).words},
                        {"steps for half of it, over those of the fewest words",
                         at(half).messages / at(best).messages}};
  return figure;
}

Figure sequential_words() {
  Figure figure;
  figure.plot = {.title = "Words of the sequential schedule (listing 1) over the bound (theorem 1)",
                 .x_axis = "memory S, words",
                 .y_axis = "over the bound",
                 .curves = {{"counted", {}}, {"sqrt(S)(a + b)/(2ab)", {}}}};
  // Tiles divide the product, and C is a small part of all words.
  const auto over_bound = [](double memory) {
    constexpr std::int64_t tiles = 2, inner = 20000;
    const SequentialTile tile = sequential_tile(memory);
    const ScheduledProduct product{tiles * static_cast<std::int64_t>(tile.rows),
                                   tiles * static_cast<std::int64_t>(tile.columns), inner};
    const ProductExtents extents{static_cast<double>(product.m), static_cast<double>(product.n),
                                 static_cast<double>(product.k)};
    return words_of_schedule(product, tile) / sequential_bound(extents, memory);
  };
  for (double memory = 16; memory <= 16e6; memory *= 4) {
    figure.plot.curves[0].points.emplace_back(memory, over_bound(memory));
    figure.plot.curves[1].points.emplace_back(memory,
                                              sequential_tile(memory).words_over_bound(memory));
  }
  constexpr double ten_megabytes = 10e6 / 8;
  figure.comparisons = {
      {printed("tile-10-megabytes"), over_bound(ten_megabytes) - 1,
       "ours has words of 8 bytes. The paper's factor sqrt(S)/(sqrt(S + 1) - 1) is 1.0009 for "
       "these, and 1.0003 for S = 10^7: it takes each byte for a word"}};
  return figure;
}

Figure idle_rank() {
  constexpr std::int64_t n = 4096;
  const ProductSize size{n, n, n};
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
  figure.comparisons = {{printed("idle-ranks"), static_cast<double>(fitted.grid.ranks())},
                        {printed("idle-words"), 1 - faces(fitted.grid) / faces(all.grid)}};
  return figure;
}

}  // namespace cuboid::detail::tools
