#include "tools/mm/mm_result.hpp"

#include "base/page_text.hpp"
#include "mm/multiply/plan_text.hpp"
#include "tools/output/number.hpp"

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

std::string phase_line(const char* name, double seconds) {
  return fmt::format("  {:<10} {:>10.4f} s\n", name, seconds);
}

std::string verdict_line(const char* method, const Verdict& verdict) {
  return fmt::format("check       {} by {}: relative error {:.2e}, tolerance {:.2e}\n",
                     verdict.holds() ? "right" : "WRONG", method, verdict.relative_error,
                     verdict.tolerance);
}

nlohmann::ordered_json verdict_json(const Verdict& verdict) {
  return {{"holds", verdict.holds()},
          {"relative_error", verdict.relative_error},
          {"tolerance", verdict.tolerance}};
}

nlohmann::ordered_json grid_json(const PlanCandidate& candidate) {
  if (const auto& bricks = candidate.bricks) {
    return {bricks->parts(WorkAxis::rows), bricks->parts(WorkAxis::columns),
            bricks->parts(WorkAxis::inner)};
  }
  if (const auto& layered = candidate.layered) {
    return {layered->rows(), layered->columns(), layered->layers()};
  }
  return {candidate.grid.rows(), candidate.grid.columns()};
}

/// HSUMMA's groups; null for other algorithms.
nlohmann::ordered_json groups_json(const PlanCandidate& candidate) {
  const bool chosen =
      candidate.algorithm == MultiplicationAlgorithm::hsumma && !candidate.sample_groups;
  if (!chosen) return nullptr;
  return {candidate.groups.rows, candidate.groups.columns};
}

/// The algorithm in 2.5D's layers; null for other algorithms.
nlohmann::ordered_json inside_json(const PlanCandidate& candidate) {
  if (!candidate.layered) return nullptr;
  return to_string(candidate.inside);
}

}  // namespace

nlohmann::ordered_json to_json(const PlanCandidate& candidate, std::size_t element_bytes) {
  return {{"algorithm", to_string(candidate.algorithm)},
          {"grid", grid_json(candidate)},
          {"groups", groups_json(candidate)},
          {"inside", inside_json(candidate)},
          {"one_sided", candidate.sides == Sidedness::one_sided},
          {"rounds", candidate.rounds},
          {"tiles", {candidate.row_tiles, candidate.column_tiles}},
          {"seconds", candidate.seconds},
          {"compute_seconds", candidate.compute_seconds},
          {"communicate_seconds", candidate.communicate_seconds},
          {"multiplications_max", candidate.work},
          {"words_max", candidate.words},
          {"messages_max", candidate.messages},
          {"memory_bytes", candidate.memory * static_cast<double>(element_bytes)},
          {"fits", candidate.fits}};
}

nlohmann::ordered_json comparison_json(const std::vector<MmResult>& results,
                                       const std::vector<SkippedAlgorithm>& skipped) {
  nlohmann::ordered_json object;
  object["algorithms"] = nlohmann::ordered_json::array();
  for (const MmResult& result : results) object["algorithms"].push_back(to_json(result));
  object["skipped"] = nlohmann::ordered_json::array();
  for (const SkippedAlgorithm& one : skipped) {
    object["skipped"].push_back({{"algorithm", to_string(one.algorithm)}, {"reason", one.reason}});
  }
  return object;
}

std::string comparison_text(const std::vector<MmResult>& results,
                            const std::vector<SkippedAlgorithm>& skipped) {
  std::string text;
  if (!results.empty()) {
    const Product& product = results.front().product;
    text += fmt::format("product     {} x {} x {} (m x n x k), {}, {} ranks\n\n", product.m,
                        product.n, product.k, to_string(product.type), results.front().ranks);
  }
  std::vector<PageRow> rows;
  for (const MmResult& result : results) {
    const double word = static_cast<double>(bytes_of(result.product.type));
    rows.push_back(
        {.section = "",
         .cells = {result.algorithm, describe_grid(result.plan()),
                   fmt::format("{:.4f}", result.seconds),
                   fmt::format("{:.4f}", result.plan().seconds),
                   fmt::format("{:.1f}", result.gflops()), bytes_text(result.bytes_received_max),
                   bytes_to_string(word * result.plan().words), std::to_string(result.messages_max),
                   !result.check           ? "-"
                   : result.check->holds() ? "right"
                                           : "WRONG"}});
  }
  constexpr std::size_t labels = 2;
  text += page_table({"algorithm", "grid", "seconds", "predicted", "GFLOP/s", "received",
                      "predicted", "messages", "check"},
                     labels, rows);
  for (const SkippedAlgorithm& one : skipped) {
    text += fmt::format("{:<12} not run: {}\n", to_string(one.algorithm), one.reason);
  }
  return folded(text, label_width);
}

nlohmann::ordered_json volume_json(const std::vector<PlanCandidate>& candidates,
                                   const PlanRequest& request) {
  nlohmann::ordered_json object;
  object["m"] = request.size.m;
  object["n"] = request.size.n;
  object["k"] = request.size.k;
  object["ranks"] = request.ranks;
  object["bytes_per_word"] = request.element_bytes;
  object["lower_bound_words"] = lower_bound_words(request);
  object["candidates"] = nlohmann::ordered_json::array();
  for (const PlanCandidate& candidate : candidates) {
    nlohmann::ordered_json one = to_json(candidate, request.element_bytes);
    for (const char* time : {"seconds", "compute_seconds", "communicate_seconds"}) one.erase(time);
    object["candidates"].push_back(std::move(one));
  }
  return object;
}

std::string volume_text(const std::vector<PlanCandidate>& candidates, const PlanRequest& request) {
  const double word = static_cast<double>(request.element_bytes);
  std::string text = fmt::format(
      "product     {} x {} x {} (m x n x k) on {} ranks, {} bytes a word\n\n", request.size.m,
      request.size.n, request.size.k, request.ranks, request.element_bytes);
  std::vector<PageRow> rows;
  const auto add = [&](std::string name, std::string grid, double words, std::string messages,
                       std::string memory, std::string fits) {
    rows.push_back({.section = "",
                    .cells = {std::move(name), std::move(grid), fmt::format("{:.0f}", words),
                              bytes_to_string(word * words), std::move(messages), std::move(memory),
                              std::move(fits)}});
  };
  for (const PlanCandidate& candidate : candidates) {
    add(std::string(to_string(candidate.algorithm)), describe_grid(candidate), candidate.words,
        fmt::format("{:.0f}", candidate.messages), bytes_to_string(word * candidate.memory),
        candidate.fits ? "yes" : "no");
  }
  add("lower bound", "all ranks working", lower_bound_words(request), "-", "-", "-");
  constexpr std::size_t labels = 2;
  text += page_table({"algorithm", "grid", "words received", "bytes", "messages", "memory", "fits"},
                     labels, rows);
  return text;
}

double MmResult::gflops() const {
  if (seconds <= 0) return 0;
  const double flops_per_step = fits(product.type, ElementType::float64) ? 2 : 8;
  return flops_per_step * static_cast<double>(product.m) * static_cast<double>(product.n) *
         static_cast<double>(product.k) / seconds * 1e-9;
}

std::optional<TimeSplit> MmResult::split() const {
  if (!exchange_alone) return std::nullopt;
  return split_of(seconds, phases.gemm, phases.distribute + phases.broadcast, *exchange_alone);
}

nlohmann::ordered_json to_json(const MmResult& result) {
  nlohmann::ordered_json object;
  object["m"] = result.product.m;
  object["n"] = result.product.n;
  object["k"] = result.product.k;
  object["type"] = std::string(1, letter(result.product.type));
  put_ranks(object, result);
  object["algorithm"] = result.algorithm;
  const PlanCandidate& plan = result.plan();
  object["grid"] = grid_json(plan);
  object["panel"] = plan.panel_width;
  object["plan"] = to_json(plan, bytes_of(result.product.type));
  object["sampled_groups"] = nullptr;
  if (const auto& groups = result.sampled_groups)
    object["sampled_groups"] = {groups->rows, groups->columns};
  object["predicted_seconds"] = plan.seconds;
  object["predicted_words_max"] = plan.words;
  object["lower_bound_words"] = result.lower_bound_words;
  if (!result.explanation.empty()) {
    object["candidates"] = nlohmann::ordered_json::array();
    for (const PlanCandidate& candidate : result.candidates) {
      object["candidates"].push_back(to_json(candidate, bytes_of(result.product.type)));
    }
  }
  put_time(object, result, result.gflops());
  object["relative_error"] = nullptr;
  object["tolerance"] = nullptr;
  object["checks"] = nullptr;
  if (result.check) {
    const MmCheck& check = *result.check;
    object["relative_error"] = check.telling().relative_error;
    object["tolerance"] = check.telling().tolerance;
    object["checks"] = {{"freivalds", verdict_json(check.freivalds)},
                        {"reference", nullptr},
                        {"special_values", check.freivalds.special_values}};
    if (check.reference) object["checks"]["reference"] = verdict_json(*check.reference);
  }
  object["bytes_sent_total"] = result.bytes_sent_total;
  object["bytes_sent_max"] = result.bytes_sent_max;
  object["bytes_received_max"] = result.bytes_received_max;
  object["messages_max"] = result.messages_max;
  object["peak_memory_bytes_max"] = result.peak_memory_bytes_max;
  object["blas"] = result.blas;
  object["kernels"] = result.kernels;
  object["device"] = result.device;
  object["memory"] = result.on_devices ? "device" : "host";
  object["precision"] = to_string(result.precision);
  object["phases"] = {{"read", result.phases.read},
                      {"distribute", result.phases.distribute},
                      {"broadcast", result.phases.broadcast},
                      {"gemm", result.phases.gemm},
                      {"write", result.phases.write}};
  const auto split = result.split();
  object["split"] = split ? to_json(*split) : nlohmann::ordered_json(nullptr);
  return object;
}

std::string to_text(const MmResult& result) {
  const Product& product = result.product;
  std::string text;
  text += fmt::format("product     {} x {} x {} (m x n x k), {}\n", product.m, product.n, product.k,
                      to_string(product.type));
  text += ranks_line(result);
  text += fmt::format("algorithm   {} on a grid of {}; predicted {:.4f} s\n", result.algorithm,
                      describe_grid(result.plan()), result.plan().seconds);
  if (const auto& groups = result.sampled_groups)
    text += fmt::format("groups      {} (measured as the fastest)\n", to_string(*groups));
  text += fmt::format("kernels     {} of {}\n", result.kernels, result.blas);
  text += fmt::format("device      {}{}\n", result.device,
                      result.on_devices ? "; the matrices lie there" : "");
  if (result.precision != FactorPrecision::single)
    text += fmt::format("precision   factors in {}, sums in single\n", to_string(result.precision));
  text += time_line(result, result.gflops());
  text += phase_line("read", result.phases.read);
  text += phase_line("distribute", result.phases.distribute);
  text += phase_line("broadcast", result.phases.broadcast);
  text += phase_line("gemm", result.phases.gemm);
  text += phase_line("write", result.phases.write);
  if (const auto split = result.split()) {
    text += fmt::format(
        "split       compute {:.4f} s, exchange hidden {:.4f} s, exchange shown {:.4f} s, idle "
        "{:.4f} s\n",
        split->compute, split->exchange_hidden, split->exchange_shown, split->idle);
  }
  text += traffic_line(result, fmt::format(", {} received", bytes_text(result.bytes_received_max)));
  text += memory_line(result);
  if (result.check) {
    text += verdict_line("Freivalds' test", result.check->freivalds);
    if (result.check->reference) {
      text += verdict_line("a product on one rank", *result.check->reference);
    }
    if (result.check->freivalds.special_values)
      text += "check       the input holds NaN or infinities, which the product inherits\n";
  }
  text = folded(text, label_width);
  if (!result.explanation.empty()) text += "\n" + result.explanation;
  if (!result.output.empty()) text += fmt::format("written     {}\n", result.output);
  return text;
}

}  // namespace cuboid::detail::tools
