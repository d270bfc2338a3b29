#include "base/page_text.hpp"
#include "mm/multiply/plan_text.hpp"
#include "models/multiplication/lower_bounds.hpp"
#include "tools/command/colour.hpp"
#include "tools/mm/mm_result.hpp"
#include "tools/model/model_mm.hpp"
#include "tools/output/number.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

using Json = nlohmann::ordered_json;

ProductExtents extents(const ProductSize& size) {
  return {static_cast<double>(size.m), static_cast<double>(size.n), static_cast<double>(size.k)};
}

/// Lower bounds on the words of a rank, if its memory is known.
struct Bounds {
  double received = 0;          ///< lower bound for any algorithm
  double held = 0;              ///< Kwasniewski et al. 2019, theorem 2
  std::optional<double> irony;  ///< Irony, Toledo, Tiskin; nullopt without a memory limit
};

Bounds bounds_of(const MmModel& model) {
  const PlanRequest& request = model.request;
  const ProductExtents product = extents(request.size);
  const double ranks = request.ranks;
  // Without a limit, the bound is that of a cube's face, which is valid for any memory.
  const double memory = request.memory ? static_cast<double>(*request.memory) : 1e300;
  Bounds bounds{.received = least_received(product, ranks, memory),
                .held = parallel_bound(product, ranks, memory),
                .irony = {}};
  if (request.memory) bounds.irony = irony_toledo_tiskin_bound(product, ranks, memory);
  return bounds;
}

/// Energy of all ranks, estimated from the work and the words of the busiest one.
double joules(const MmModel& model, double work, double words) {
  return model.energy->joules(model.request.ranks, work * flops_per_multiplication(model.type),
                              words * static_cast<double>(model.request.element_bytes));
}

std::string joules_text(const MmModel& model, double work, double words) {
  return fmt::format("{:.4g}", joules(model, work, words));
}

/// Seconds of computing; null if the flop rate is unknown.
Json compute_json(const MmModel& model, double seconds) {
  return model.computes ? Json(seconds) : Json(nullptr);
}

std::string compute_text(const MmModel& model, double seconds) {
  return model.computes ? fmt::format("{:.4g}", seconds) : "-";
}

double work_of_all(const MmModel& model) {
  return extents(model.request.size).work() / model.request.ranks;
}

Json lined_json(const MmModel& model) {
  Json rows = Json::array();
  for (const LinedProduct& one : model.lined) {
    rows.push_back({{"lines", name_of(one.lines)},
                    {"layers", one.grid.layers()},
                    {"grid", {one.grid.rows(), one.grid.columns(), one.grid.layers()}},
                    {"seconds", one.seconds.total},
                    {"compute_seconds", compute_json(model, one.seconds.compute)},
                    {"communicate_seconds", one.seconds.communicate},
                    {"words_max", one.words},
                    {"fits", one.fits}});
  }
  return rows;
}

/// The plans that fit the memory by predicted time, then the other plans by the memory that they
/// need.
std::vector<const PlanCandidate*> soonest_first(const std::vector<PlanCandidate>& candidates) {
  std::vector<const PlanCandidate*> sorted;
  for (const PlanCandidate& candidate : candidates) sorted.push_back(&candidate);
  std::ranges::stable_sort(sorted, {}, [](const PlanCandidate* candidate) {
    return std::pair(!candidate->fits, candidate->fits ? candidate->seconds : candidate->memory);
  });
  return sorted;
}

/// What the last column says of what needs more than the memory.
std::string fits_text(bool fits) {
  return fits ? "yes" : "no";
}

/// Why another algorithm than the fastest is chosen; empty if the fastest is.
std::string reason_of_choice(const MmModel& model) {
  const PlanCandidate& chosen = model.candidates.front();
  if (soonest_first(model.candidates).front() == &chosen) return "";
  return fmt::format(
      ": of what takes at most {:.0f}% longer than the fastest, what receives at most {:.0f}% more "
      "words than the fewest, and of that what needs the least memory",
      100 * (as_fast - 1), 100 * (few_words - 1));
}

std::string lined_text(const MmModel& model) {
  if (model.lined.empty()) return "";
  std::vector<std::string> heads{"lines",   "layers",      "grid",  "seconds",
                                 "compute", "communicate", "words", "efficiency"};
  constexpr std::size_t labels = 3;
  if (model.energy) heads.emplace_back("joules");
  heads.emplace_back("fits");
  std::vector<PageRow> rows;
  for (const LinedProduct& one : model.lined) {
    std::vector<std::string> cells{
        std::string(name_of(one.lines)),
        std::to_string(one.grid.layers()),
        fmt::format("{}x{}x{}", one.grid.rows(), one.grid.columns(), one.grid.layers()),
        fmt::format("{:.4g}", one.seconds.total),
        compute_text(model, one.seconds.compute),
        fmt::format("{:.4g}", one.seconds.communicate),
        fmt::format("{:.6g}", one.words),
        model.computes ? fmt::format("{:.1f}%", 100 * one.seconds.compute / one.seconds.total)
                       : "-"};
    if (model.energy) cells.push_back(joules_text(model, work_of_all(model), one.words));
    cells.push_back(fits_text(one.fits));
    rows.push_back({.section = "", .cells = std::move(cells)});
  }
  return "\nSUMMA in layers whose lines are lines of the network (1 layer: 2-D), by what moves "
         "along "
         "them\n" +
         page_table(heads, labels, rows);
}

}  // namespace

Json to_json(const MmModel& model) {
  const PlanRequest& request = model.request;
  const Bounds bounds = bounds_of(model);
  Json object = {
      {"m", request.size.m},
      {"n", request.size.n},
      {"k", request.size.k},
      {"ranks", request.ranks},
      {"element_bytes", request.element_bytes},
      {"parameters", model.machine.name},
      {"flops_per_second", model.computes ? Json(model.machine.flops_per_second) : Json(nullptr)},
      {"memory_bytes",
       request.memory ? Json(*request.memory * static_cast<std::int64_t>(request.element_bytes))
                      : Json(nullptr)},
      {"lower_bound_words", bounds.received},
      {"theorem_2_words", bounds.held},
      {"irony_toledo_tiskin_words", bounds.irony ? Json(*bounds.irony) : Json(nullptr)},
      {"candidates", Json::array()}};
  for (const PlanCandidate& candidate : model.candidates) {
    Json& one = object["candidates"].emplace_back(to_json(candidate, request.element_bytes));
    one["compute_seconds"] = compute_json(model, candidate.compute_seconds);
    if (model.energy) one["joules"] = joules(model, candidate.work, candidate.words);
  }
  if (request.placement) {
    object["network"] = request.placement->shape().to_string();
    object["lines"] = lined_json(model);
  }
  return object;
}

std::string to_text(const MmModel& model) {
  const PlanRequest& request = model.request;
  const auto& [m, n, k] = request.size;
  std::string text = fmt::format(
      "# {} x {} x {} (m x n x k), {} a word, {} ranks{}, {} ({})\n", m, n, k,
      request.element_bytes == 1 ? "1 byte" : fmt::format("{} bytes", request.element_bytes),
      request.ranks, request.placement ? " on " + request.placement->shape().to_string() : "",
      model.machine.name, model.machine.source);
  std::vector<std::string> heads{"  algorithm", "grid",     "seconds", "compute", "communicate",
                                 "words",       "messages", "memory",  "of bound"};
  constexpr std::size_t labels = 2;
  if (model.energy) heads.emplace_back("joules");
  heads.emplace_back("fits");
  const Bounds bounds = bounds_of(model);
  std::vector<PageRow> rows;
  for (const PlanCandidate* const candidate_at : soonest_first(model.candidates)) {
    const PlanCandidate& candidate = *candidate_at;
    const bool chosen = candidate_at == &model.candidates.front();
    const std::string name(to_string(candidate.algorithm));
    std::vector<std::string> cells{
        chosen ? coloured("* " + name, Colour::chosen) : "  " + name,
        describe_grid(candidate),
        fmt::format("{:.4g}", candidate.seconds),
        compute_text(model, candidate.compute_seconds),
        fmt::format("{:.4g}", candidate.communicate_seconds),
        fmt::format("{:.6g}", candidate.words),
        fmt::format("{:.0f}", candidate.messages),
        bytes_to_string(candidate.memory * static_cast<double>(request.element_bytes)),
        bounds.received > 0 ? fmt::format("{:.2f}", candidate.words / bounds.received) : "-"};
    if (model.energy) cells.push_back(joules_text(model, candidate.work, candidate.words));
    cells.push_back(fits_text(candidate.fits));
    rows.push_back({.section = "", .cells = std::move(cells)});
  }
  text += page_table(heads, labels, rows);
  text += fmt::format("* the planner's choice{}\n", reason_of_choice(model)) + lined_text(model);
  text += fmt::format(
      "\nlower bounds, words of the busiest rank\n"
      "  received, any algorithm                               {:.6g}\n"
      "  held (Kwasniewski et al. 2019, theorem 2)             {:.6g}\n",
      bounds.received, bounds.held);
  if (bounds.irony) {
    text += fmt::format("  sent and received (Irony, Toledo and Tiskin 2004)     {:.6g}\n",
                        *bounds.irony);
  }
  if (!model.computes) {
    text += fmt::format(
        "\nThe flop rate of {} is unknown, so the times are of communication alone: give "
        "--flops.\n",
        model.machine.name);
  }
  constexpr std::size_t indent = 2;
  return folded(text, indent);
}

}  // namespace cuboid::detail::tools
