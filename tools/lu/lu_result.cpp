#include "tools/lu/lu_result.hpp"

#include "base/page_text.hpp"
#include "tools/factorisation/step_cost.hpp"
#include "tools/output/number.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

/// Multiplications and additions of a factorisation of real matrices.
double flops_of(const SystemProblem& problem, bool cholesky) {
  const double longer = static_cast<double>(std::max(problem.m, problem.n));
  const double shorter = static_cast<double>(std::min(problem.m, problem.n));
  const double lu = shorter * shorter * (longer - shorter / 3);
  return cholesky ? lu / 2 : lu;
}

}  // namespace

double LuResult::gflops() const {
  if (seconds <= 0) return 0;
  const double of_an_operation = fits(problem.type, ElementType::float64) ? 1 : 4;
  return of_an_operation * flops_of(problem, cholesky) / seconds * 1e-9;
}

nlohmann::ordered_json to_json(const LuResult& result) {
  nlohmann::ordered_json object;
  put_problem(object, result);
  object["algorithm"] = result.cholesky ? "cholesky" : "lu";
  object["pivoting"] = to_string(result.pivoting);
  const FactorisePlan& plan = result.plan;
  object["grid"] = {plan.grid.rows(), plan.grid.columns(), plan.grid.layers()};
  object["layers"] = plan.grid.layers();
  object["block"] = plan.block;
  object["predicted_seconds"] = plan.seconds.total();
  const FactorisationSeconds& seconds = plan.seconds;
  object["predicted_phases"] = {{"panel", seconds.panel},
                                {"rows", seconds.rows},
                                {"multicast", seconds.multicast},
                                {"update", seconds.update},
                                {"interchange", seconds.interchange},
                                {"collectives", seconds.collectives},
                                {"cores", seconds.cores}};
  object["predicted_words"] = plan.communication.total().words;
  object["predicted_steps"] = {{"panel", step_json(plan.communication.panel)},
                               {"rows", step_json(plan.communication.rows)},
                               {"multicast", step_json(plan.communication.multicast)},
                               {"interchange", step_json(plan.communication.interchange)}};
  object["memory_bytes_planned"] = plan.memory_bytes;
  put_times(object, result, result.gflops());
  object["mixed_precision"] = nullptr;
  if (result.mixed) {
    object["mixed_precision"] = {{"method", to_string(result.mixed->method)},
                                 {"steps", result.mixed->steps},
                                 {"gmres_iterations", result.mixed->gmres_iterations}};
  }
  object["info"] = result.info;
  object["finite"] = result.finite && result.solution_finite;
  object["determinant"] = nullptr;
  if (result.log_determinant) {
    object["determinant"] = {{"sign", {result.sign_real, result.sign_imaginary}},
                             {"logarithm", *result.log_determinant}};
  }
  object["residual"] = nullptr;
  object["factor_residual"] = nullptr;
  object["growth"] = nullptr;
  if (result.check) {
    if (result.check->solution) object["residual"] = *result.check->solution;
    if (result.check->factors) object["factor_residual"] = *result.check->factors;
    if (result.check->growth) object["growth"] = *result.check->growth;
  }
  put_resources(object, result);
  object["phases"] = {{"read", result.read},
                      {"panel", result.phases.panel},
                      {"rows", result.phases.rows},
                      {"multicast", result.phases.multicast},
                      {"update", result.phases.update},
                      {"interchange", result.phases.interchange},
                      {"write", result.write}};
  object["steps"] = {{"panel", step_json(result.sent.panel)},
                     {"rows", step_json(result.sent.rows)},
                     {"multicast", step_json(result.sent.multicast)},
                     {"interchange", step_json(result.sent.interchange)}};
  return object;
}

std::string to_text(const LuResult& result) {
  const SystemProblem& problem = result.problem;
  std::string text = problem_line(problem) + ranks_line(result);
  text +=
      fmt::format("algorithm   {} on a {} grid, blocks of {}; predicted {:.4f} s\n",
                  result.cholesky ? std::string("Cholesky")
                                  : fmt::format("LU, pivoting: {},", to_string(result.pivoting)),
                  to_string(result.plan.grid), result.plan.block, result.plan.seconds.total());
  text += fmt::format("kernels     {} of {}; {} of {}\n", result.kernels, result.blas,
                      result.lapack_kernels, result.lapack);
  text += time_line(result, result.gflops());
  text += step_line("A  panels", result.phases.panel, result.sent.panel);
  text += step_line("B  multicasts", result.phases.multicast, result.sent.multicast);
  text += fmt::format("  {:<24} {:>10.4f} s\n", "B  updates", result.phases.update);
  text += step_line("C  rows", result.phases.rows, result.sent.rows);
  text += step_line("later interchanges", result.phases.interchange, result.sent.interchange);
  if (result.mixed) {
    text += fmt::format("precision   mixed: {}, {} step{}", to_string(result.mixed->method),
                        result.mixed->steps, result.mixed->steps == 1 ? "" : "s");
    if (result.mixed->gmres_iterations > 0)
      text += fmt::format(", {} iterations of GMRES", result.mixed->gmres_iterations);
    text += "\n";
  }
  if (result.solve_seconds > 0) text += fmt::format("solve       {:.4f} s\n", result.solve_seconds);
  text += traffic_line(result);
  text += memory_line(
      result,
      fmt::format("; planned {}", bytes_to_string(static_cast<double>(result.plan.memory_bytes))));
  if (result.info > 0) {
    text += result.cholesky
                ? fmt::format("info        {0}: the leading minor of order {0} is not positive\n",
                              result.info)
                : fmt::format("info        {0}: pivot U({0}, {0}) is exactly 0\n", result.info);
  }
  if (!result.finite) text += "info        0, but the factors are not finite\n";
  if (result.log_determinant) {
    text += fmt::format(
        "determinant sign {:.3g}{}, logarithm {:.6g}\n", result.sign_real,
        result.sign_imaginary != 0 ? fmt::format("{:+.3g}i", result.sign_imaginary) : "",
        *result.log_determinant);
  }
  if (result.check) {
    text += fmt::format("check       {}: ", result.check->holds() ? "right" : "WRONG");
    if (result.check->factors) text += fmt::format("factors {:.2e}, ", *result.check->factors);
    if (result.check->solution) text += fmt::format("solution {:.2e}, ", *result.check->solution);
    text += fmt::format("of at most {:.0f}", LuCheck::bound);
    if (result.check->growth) text += fmt::format("; growth {:.3g}", *result.check->growth);
    text += "\n";
  }
  text = folded(text, label_width);
  if (!result.explanation.empty()) text += "\n" + result.explanation;
  for (const std::string& path : {result.output, result.factors_output}) {
    if (!path.empty()) text += fmt::format("written     {}\n", path);
  }
  return text;
}

}  // namespace cuboid::detail::tools
