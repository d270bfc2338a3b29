#include <cuboid/tools/mm_result.hpp>
#include <cuboid/tools/number.hpp>

#include <fmt/format.h>

namespace cuboid::tools {

namespace {

std::string bytes(std::uint64_t count) {
  return bytes_to_string(static_cast<double>(count));
}

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

}  // namespace

double MmResult::gflops() const {
  if (seconds <= 0) return 0;
  const double flops_per_step = fits(product.type, ElementType::float64) ? 2 : 8;
  return flops_per_step * static_cast<double>(product.m) * static_cast<double>(product.n) *
         static_cast<double>(product.k) / seconds * 1e-9;
}

nlohmann::ordered_json to_json(const MmResult& result) {
  nlohmann::ordered_json object;
  object["m"] = result.product.m;
  object["n"] = result.product.n;
  object["k"] = result.product.k;
  object["type"] = std::string(1, letter(result.product.type));
  object["ranks"] = result.ranks;
  object["ranks_per_process"] = result.ranks_in_process;
  object["threads"] = result.threads;
  object["algorithm"] = result.algorithm;
  object["grid"] = {result.product.grid.rows(), result.product.grid.columns()};
  object["panel"] = result.panel_width;
  object["repeats"] = result.repeats;
  object["seconds"] = result.seconds;
  object["gflops"] = result.gflops();
  object["relative_error"] = nullptr;
  object["tolerance"] = nullptr;
  object["checks"] = nullptr;
  if (result.check) {
    const MmCheck& check = *result.check;
    object["relative_error"] = check.telling().relative_error;
    object["tolerance"] = check.telling().tolerance;
    object["checks"] = {{"freivalds", verdict_json(check.freivalds)}, {"reference", nullptr}};
    if (check.reference) object["checks"]["reference"] = verdict_json(*check.reference);
  }
  object["bytes_sent_total"] = result.bytes_sent_total;
  object["bytes_sent_max"] = result.bytes_sent_max;
  object["bytes_received_max"] = result.bytes_received_max;
  object["messages_max"] = result.messages_max;
  object["peak_memory_bytes_max"] = result.peak_memory_bytes_max;
  object["blas"] = result.blas;
  object["kernels"] = result.kernels;
  object["phases"] = {{"read", result.phases.read},
                      {"distribute", result.phases.distribute},
                      {"broadcast", result.phases.broadcast},
                      {"gemm", result.phases.gemm},
                      {"write", result.phases.write}};
  return object;
}

std::string to_text(const MmResult& result) {
  const Product& product = result.product;
  std::string text;
  text += fmt::format("product     {} x {} x {} (m x n x k), {}\n", product.m, product.n, product.k,
                      to_string(product.type));
  text += fmt::format("ranks       {} on a {} grid, {} thread{} each\n", result.ranks,
                      to_string(product.grid), result.threads, result.threads == 1 ? "" : "s");
  text += fmt::format("algorithm   {}, panels of {}\n", result.algorithm, result.panel_width);
  text += fmt::format("kernels     {} of {}\n", result.kernels, result.blas);
  text += fmt::format("time        {:.4f} s{}, {:.1f} GFLOP/s\n", result.seconds,
                      result.repeats > 1 ? fmt::format(" (median of {})", result.repeats) : "",
                      result.gflops());
  text += phase_line("read", result.phases.read);
  text += phase_line("distribute", result.phases.distribute);
  text += phase_line("broadcast", result.phases.broadcast);
  text += phase_line("gemm", result.phases.gemm);
  text += phase_line("write", result.phases.write);
  text += fmt::format(
      "traffic     {} sent in all; a rank sends up to {} in {} messages, receives up "
      "to {}\n",
      bytes(result.bytes_sent_total), bytes(result.bytes_sent_max), result.messages_max,
      bytes(result.bytes_received_max));
  text += fmt::format("memory      up to {} per rank{}\n", bytes(result.peak_memory_bytes_max),
                      result.ranks_in_process > 1 ? ", an equal part of the process's peak" : "");
  if (result.check) {
    text += verdict_line("Freivalds' test", result.check->freivalds);
    if (result.check->reference) {
      text += verdict_line("a product on one rank", *result.check->reference);
    }
  }
  if (!result.output.empty()) text += fmt::format("written     {}\n", result.output);
  return text;
}

}  // namespace cuboid::tools
