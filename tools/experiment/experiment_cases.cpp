#include "tools/experiment/experiment_cases.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail::tools {

namespace {

constexpr double word_bytes = 8;
constexpr std::int64_t flat_inner = 256;  // the paper's rank-k updates
constexpr std::int64_t molecule_rows = 136, molecule_inner = 228;

/// The largest x >= 0 with words(x) <= limit, for an increasing function.
template <class Words>
double largest(const Words& words, double limit) {
  double low = 0, high = 1;
  while (words(high) < limit) high *= 2;
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (words(middle) <= limit ? low : high) = middle;
  }
  return low;
}

double words_of_molecules(double w) {
  const double rows = molecule_rows * w;
  return rows * rows + 2 * rows * (molecule_inner * w * w);
}

std::int64_t at_least_one(double extent) {
  return std::max<std::int64_t>(1, std::llround(extent));
}

std::vector<std::string> words_in(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// The parameters that differ between the runs of a curve.
struct Point {
  int ranks = 1;
  CaseExtents extents;
  std::int64_t bytes = 0;
  int groups = 1;
  double x = 0;
};

std::vector<int> divisors(int number) {
  std::vector<int> all;
  for (int one = 1; one <= number; ++one)
    if (number % one == 0) all.push_back(one);
  return all;
}

/// The points of a sweep over `cuboid bench`.
std::vector<Point> points_of_collective(const Experiment& experiment, const Scale& scale) {
  constexpr std::int64_t usual = 1 << 20, shortest = 1 << 12, longest = 1 << 24;
  std::vector<Point> points;
  if (experiment.sweep == Sweep::ranks) {
    for (const int ranks : scale.ranks)
      if (ranks > 1) points.push_back({ranks, {}, usual, 1, static_cast<double>(ranks)});
    return points;
  }
  for (std::int64_t bytes = shortest; bytes <= longest; bytes *= 4)
    points.push_back({scale.ranks.back(), {}, bytes, 1, static_cast<double>(bytes)});
  return points;
}

/// The sizes of a sweep: n/8, n/4, n/2 and n. For `molecules`, all numbers of molecules that fit.
std::vector<Point> points_of_sizes(ProductShape shape, double words, int ranks) {
  std::vector<Point> points;
  if (shape == ProductShape::molecules) {
    for (std::int64_t w = 1; w == 1 || words_of_molecules(static_cast<double>(w)) <= words; ++w)
      points.push_back({ranks, extents_of_molecules(w), 0, 1, static_cast<double>(w)});
    return points;
  }
  for (double share = 1.0 / 64; share <= 1; share *= 4) {
    const CaseExtents extents = extents_of(shape, words * share);
    points.push_back({ranks, extents, 0, 1, static_cast<double>(extents.n)});
  }
  return points;
}

std::vector<Point> points_of(const Experiment& experiment, ProductShape shape, MemoryRegime regime,
                             const Scale& scale) {
  const int most = scale.ranks.back();
  const auto words = [&](int ranks) { return words_of_matrices(regime, ranks, scale); };
  std::vector<Point> points;
  switch (experiment.sweep) {
    case Sweep::ranks:
      for (const int ranks : scale.ranks)
        points.push_back(
            {ranks, extents_of(shape, words(ranks)), 0, 1, static_cast<double>(ranks)});
      break;
    case Sweep::ends:
      for (const int ranks : {scale.ranks.front(), most})
        points.push_back(
            {ranks, extents_of(shape, words(ranks)), 0, 1, static_cast<double>(ranks)});
      if (scale.ranks.size() == 1) points.pop_back();
      break;
    case Sweep::groups:
      for (const int groups : divisors(most))
        points.push_back(
            {most, extents_of(shape, words(most)), 0, groups, static_cast<double>(groups)});
      break;
    case Sweep::size: return points_of_sizes(shape, words(most), most);
    case Sweep::bytes: return points_of_collective(experiment, scale);
  }
  return points;
}

std::string replaced(std::string text, std::string_view what, const std::string& with) {
  const std::size_t at = text.find(what);
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

/// The squarest process grid of a number of ranks.
std::string squarest_grid(int ranks) {
  int rows = 1;
  for (const int one : divisors(ranks))
    if (std::int64_t{one} * one <= ranks) rows = one;
  return fmt::format("{}x{}", rows, ranks / rows);
}

/// SUMMA that does not move the largest matrix, C if several are equally large. PBLAS does so.
std::string stationary_summa(const CaseExtents& extents) {
  const auto& [m, n, k] = extents;
  if (std::min(m, n) >= k) return "summa";
  return m >= n ? "stationary-a" : "stationary-b";
}

/// Flags with a point's values in place of their placeholders.
std::vector<std::string> flags_of(std::string_view flags, const Point& point, const Scale& scale) {
  const int layers = std::max(1, point.ranks / scale.ranks.front());
  std::vector<std::string> words = words_in(flags);
  for (std::string& word : words) {
    word = replaced(word, "{layers}", std::to_string(layers));
    word = replaced(word, "{groups}", std::to_string(point.groups));
    word = replaced(word, "{grid}", squarest_grid(point.ranks));
    word = replaced(word, "{stationary}", stationary_summa(point.extents));
  }
  return words;
}

std::vector<std::string> arguments_of(const Experiment& experiment, const Variant& variant,
                                      const Point& point, const Scale& scale) {
  std::vector<std::string> arguments;
  const auto add = [&](std::initializer_list<std::string> more) {
    arguments.insert(arguments.end(), more);
  };
  const auto number = [](auto value) { return std::to_string(value); };
  switch (experiment.work) {
    case Work::multiply:
      add({"mm", "--m", number(point.extents.m), "--n", number(point.extents.n), "--k",
           number(point.extents.k), "--memory-limit", number(scale.memory_bytes), "--repeat",
           number(scale.repeats), "--split"});
      break;
    case Work::factorise:
      add({"lu", "--n", number(point.extents.n), "--repeat", number(scale.repeats)});
      break;
    case Work::collective: add({"bench"}); break;
  }
  for (const std::string& word : flags_of(variant.flags, point, scale)) arguments.push_back(word);
  if (experiment.work == Work::collective) {
    add({"--size", number(point.bytes)});
    if (scale.launched && experiment.sweep == Sweep::bytes) add({"--against", "mpi"});
  }
  add({"--json"});
  return arguments;
}

void add_panel(const Experiment& experiment, const std::string& panel,
               const std::vector<Point>& points, const Scale& scale, std::vector<Case>& cases) {
  for (const Variant& variant : experiment.variants) {
    for (const Point& point : points) {
      cases.push_back({.variant = std::string(variant.name),
                       .panel = panel,
                       .ranks = point.ranks,
                       .extents = point.extents,
                       .bytes = point.bytes,
                       .x = point.x,
                       .arguments = arguments_of(experiment, variant, point, scale),
                       .variables = words_in(variant.variables)});
    }
  }
}

std::string panel_name(ProductShape shape, MemoryRegime regime) {
  return fmt::format("{}, {}", to_string(shape), to_string(regime));
}

/// The extents that the paper multiplies in strong scaling.
CaseExtents paper_extents(ProductShape shape) {
  constexpr std::int64_t paper_molecules = 128, square = 16384, wide = 131072, thin = 512;
  const CaseExtents of_molecules = extents_of_molecules(paper_molecules);
  switch (shape) {
    case ProductShape::square: break;
    case ProductShape::large_k:
    case ProductShape::molecules: return of_molecules;
    case ProductShape::large_m: return {of_molecules.k, of_molecules.n, of_molecules.n};
    case ProductShape::flat: return {wide, wide, thin};
  }
  return {square, square, square};
}

std::vector<Point> paper_points(const Experiment& experiment, ProductShape shape,
                                MemoryRegime regime, const Scale& scale) {
  const auto extents = [&](std::int64_t size) {
    return shape == ProductShape::molecules ? extents_of_molecules(size)
                                            : CaseExtents{size, size, size};
  };
  const auto sizes = experiment.paper.sizes;
  std::vector<Point> points;
  if (experiment.sweep == Sweep::size) {
    for (const std::int64_t size : sizes)
      points.push_back({scale.ranks.back(), extents(size), 0, 1, static_cast<double>(size)});
    return points;
  }
  points = points_of(experiment, shape, regime, scale);
  const auto groups = experiment.paper.groups;
  for (std::size_t i = 0; i < groups.size(); ++i) points[i].groups = groups[i];
  for (Point& point : points) {
    if (!sizes.empty())
      point.extents = extents(sizes.front());
    else if (regime == MemoryRegime::strong)
      point.extents = paper_extents(shape);
  }
  return points;
}

/// The network that the paper had for this number of nodes; empty if it is unknown.
std::string network_of(const PaperScale& paper, int nodes) {
  for (std::size_t i = 0; i < paper.networks.size(); ++i)
    if (paper.ranks[i] == nodes) return std::string(paper.networks[i]);
  return {};
}

/// `cuboid model`'s arguments for a point of a curve, without the number of ranks.
std::vector<std::string> modelled_arguments(const Experiment& experiment, const Variant& variant,
                                            const Point& point, const Scale& scale) {
  const PaperScale& paper = experiment.paper;
  std::vector<std::string> arguments = {"model"};
  const auto add = [&](std::initializer_list<std::string> more) {
    arguments.insert(arguments.end(), more);
  };
  const auto number = [](auto value) { return std::to_string(value); };
  const auto& [m, n, k] = point.extents;
  if (experiment.work == Work::multiply)
    add({"mm", "--m", number(m), "--n", number(n), "--k", number(k)});
  if (experiment.work == Work::factorise) add({"lu", "--n", number(n)});
  for (const auto flags : {variant.model.empty() ? variant.flags : variant.model, paper.flags})
    for (const std::string& word : flags_of(flags, point, scale)) arguments.push_back(word);
  add({"--parameters", std::string(paper.machine)});
  if (experiment.work == Work::collective) add({"--size", number(point.bytes)});
  if (experiment.work == Work::multiply) {
    add({"--memory-limit", number(scale.memory_bytes * variant.cores_per_rank)});
    if (paper.cores_per_node > 1)
      add({"--ranks-per-node", number(paper.cores_per_node / variant.cores_per_rank)});
  }
  const std::string network = network_of(paper, point.ranks);
  if (!network.empty()) add({"--network", network});
  add({"--json"});
  return arguments;
}

}  // namespace

double words_of_matrices(MemoryRegime regime, int ranks, const Scale& scale) {
  constexpr double share_of_matrices = 1.0 / 3;
  const double of_a_rank = static_cast<double>(scale.memory_bytes) / word_bytes * share_of_matrices;
  switch (regime) {
    case MemoryRegime::strong: return of_a_rank * scale.ranks.front();
    case MemoryRegime::limited: return of_a_rank * ranks;
    case MemoryRegime::extra: return of_a_rank * std::pow(ranks, 2.0 / 3);
  }
  return of_a_rank;
}

CaseExtents extents_of_molecules(std::int64_t molecules) {
  return {molecule_rows * molecules, molecule_rows * molecules,
          molecule_inner * molecules * molecules};
}

CaseExtents extents_of(ProductShape shape, double words) {
  switch (shape) {
    case ProductShape::square: {
      const std::int64_t n = at_least_one(std::sqrt(words / 3));
      return {n, n, n};
    }
    case ProductShape::flat: {
      const auto k = static_cast<double>(flat_inner);
      const std::int64_t n = at_least_one(std::sqrt(k * k + words) - k);
      return {n, n, flat_inner};
    }
    case ProductShape::molecules: {
      const double w = std::floor(largest(words_of_molecules, words));
      return extents_of_molecules(at_least_one(w));
    }
    case ProductShape::large_k:
    case ProductShape::large_m: break;
  }
  const double w = largest(words_of_molecules, words);
  const std::int64_t rows = at_least_one(molecule_rows * w);
  const std::int64_t inner = at_least_one(molecule_inner * w * w);
  if (shape == ProductShape::large_k) return {rows, rows, inner};
  return {inner, rows, rows};
}

std::vector<Case> cases_of(const Experiment& experiment, const Scale& scale) {
  std::vector<Case> cases;
  if (experiment.work == Work::collective)
    add_panel(experiment, "", points_of_collective(experiment, scale), scale, cases);
  for (const ProductShape shape : experiment.shapes)
    for (const MemoryRegime regime : experiment.regimes)
      add_panel(experiment, panel_name(shape, regime), points_of(experiment, shape, regime, scale),
                scale, cases);
  return cases;
}

std::vector<Case> modelled_cases_of(const Experiment& experiment) {
  std::vector<Case> cases;
  const PaperScale& paper = experiment.paper;
  if (paper.machine.empty()) return cases;
  const Scale scale{.ranks = {paper.ranks.begin(), paper.ranks.end()},
                    .memory_bytes = static_cast<std::int64_t>(paper.memory_bytes)};
  const auto add_panel = [&](const std::string& panel, const std::vector<Point>& points) {
    for (const Variant& variant : experiment.variants) {
      if (variant.model == "none") continue;
      for (const Point& point : points) {
        cases.push_back({.variant = std::string(variant.name),
                         .panel = panel,
                         .ranks = std::max(point.ranks / variant.cores_per_rank, 1),
                         .cores_per_rank = variant.cores_per_rank,
                         .extents = point.extents,
                         .bytes = point.bytes,
                         .x = point.x,
                         .arguments = modelled_arguments(experiment, variant, point, scale),
                         .variables = {}});
      }
    }
  };
  if (experiment.work == Work::collective) add_panel("", points_of_collective(experiment, scale));
  for (const ProductShape shape : experiment.shapes)
    for (const MemoryRegime regime : experiment.regimes)
      add_panel(panel_name(shape, regime), paper_points(experiment, shape, regime, scale));
  return cases;
}

}  // namespace cuboid::detail::tools
