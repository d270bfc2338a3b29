#include "tools/qr/qr_result.hpp"

#include "base/page_text.hpp"
#include "tools/factorisation/step_cost.hpp"
#include "tools/output/number.hpp"
#include "tools/output/or_null.hpp"

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

nlohmann::ordered_json steps_json(const QrCommunication& sent) {
  return {{"panel", step_json(sent.panel)},
          {"multicast", step_json(sent.multicast)},
          {"sums", step_json(sent.sums)}};
}

std::string check_line(const QrCheck& check) {
  std::string text = fmt::format("check       {}: ", check.holds() ? "right" : "WRONG");
  if (check.factors) text += fmt::format("factors {:.2e}, ", *check.factors);
  if (check.orthogonality) text += fmt::format("orthogonality {:.2e}, ", *check.orthogonality);
  if (check.solution) text += fmt::format("solution {:.2e}, ", *check.solution);
  return text + fmt::format("of at most {:.0f}\n", QrCheck::bound);
}

}  // namespace

double QrResult::gflops() const {
  if (seconds <= 0) return 0;
  const double of_an_operation = fits(problem.type, ElementType::float64) ? 1 : 4;
  return of_an_operation *
         qr_operations(static_cast<double>(problem.m), static_cast<double>(problem.n)) / seconds *
         1e-9;
}

nlohmann::ordered_json to_json(const QrResult& result) {
  nlohmann::ordered_json object;
  put_problem(object, result);
  object["algorithm"] = "qr";
  const QrPlan& plan = result.plan;
  object["grid"] = {plan.grid.rows(), plan.grid.columns()};
  object["block"] = plan.block;
  object["predicted_seconds"] = plan.seconds.total();
  object["predicted_phases"] = {{"panel", plan.seconds.panel},
                                {"multicast", plan.seconds.multicast},
                                {"sums", plan.seconds.rows},
                                {"update", plan.seconds.update},
                                {"collectives", plan.seconds.collectives},
                                {"cores", plan.seconds.cores}};
  object["predicted_words"] = plan.communication.total().words;
  object["predicted_steps"] = steps_json(plan.communication);
  object["memory_bytes_planned"] = plan.memory_bytes;
  put_times(object, result, result.gflops());
  object["info"] = result.info;
  object["finite"] = result.finite && result.solution_finite;
  const QrCheck check = result.check.value_or(QrCheck{});
  object["residual"] = or_null(check.solution);
  object["factor_residual"] = or_null(check.factors);
  object["orthogonality"] = or_null(check.orthogonality);
  put_resources(object, result);
  object["phases"] = {{"read", result.read},
                      {"panel", result.phases.panel},
                      {"multicast", result.phases.multicast},
                      {"sums", result.phases.sums},
                      {"update", result.phases.update},
                      {"write", result.write}};
  object["steps"] = steps_json(result.sent);
  return object;
}

std::string to_text(const QrResult& result) {
  const SystemProblem& problem = result.problem;
  std::string text = problem_line(problem) + ranks_line(result);
  text += fmt::format("algorithm   QR{} on a {} grid, blocks of {}; predicted {:.4f} s\n",
                      factorises_adjoint(result.command, problem) ? " of A^H" : "",
                      to_string(result.plan.grid), result.plan.block, result.plan.seconds.total());
  text += fmt::format("kernels     {} of {}; {} of {}\n", result.kernels, result.blas,
                      result.lapack_kernels, result.lapack);
  text += time_line(result, result.gflops());
  text += step_line("panels", result.phases.panel, result.sent.panel);
  text += step_line("multicasts", result.phases.multicast, result.sent.multicast);
  text += step_line("sums", result.phases.sums, result.sent.sums);
  text += fmt::format("  {:<24} {:>10.4f} s\n", "updates", result.phases.update);
  if (result.solve_seconds > 0) text += fmt::format("solve       {:.4f} s\n", result.solve_seconds);
  text += traffic_line(result);
  text += memory_line(
      result,
      fmt::format("; planned {}", bytes_to_string(static_cast<double>(result.plan.memory_bytes))));
  if (result.info > 0)
    text += fmt::format("info        {0}: R({0}, {0}) is exactly 0\n", result.info);
  if (!result.finite) text += "info        0, but the factors are not finite\n";
  if (result.check) text += check_line(*result.check);
  text = folded(text, label_width);
  if (!result.explanation.empty()) text += "\n" + result.explanation;
  for (const std::string& path : result.written) text += fmt::format("written     {}\n", path);
  return text;
}

}  // namespace cuboid::detail::tools
