#include "tools/factorisation/plan_table.hpp"

#include "base/page_text.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

std::string seconds_text(double seconds) {
  return fmt::format("{:.4g}", seconds);
}

/// @param steps         the headings of the columns of the steps' seconds.
/// @param step_seconds  returns the cells of a plan in these columns.
template <class Plan, class StepSeconds>
std::string table_of(const std::vector<Plan>& plans, std::size_t all,
                     const std::vector<std::string>& steps, const StepSeconds& step_seconds) {
  constexpr std::size_t most = 12, labels = 2;
  std::vector<std::string> heads{"grid", "block", "seconds"};
  heads.insert(heads.end(), steps.begin(), steps.end());
  for (const char* const head : {"words", "messages"}) heads.emplace_back(head);
  const bool all_fit = std::ranges::all_of(plans, &Plan::fits);
  if (!all_fit) heads.emplace_back("memory");
  const std::size_t shown = std::min(plans.size(), most);
  std::vector<PageRow> rows;
  for (std::size_t number = 0; number < shown; ++number) {
    const Plan& plan = plans[number];
    const CommunicationCost sent = plan.communication.total();
    PageRow row{.section = "",
                .cells = {to_string(plan.grid), std::to_string(plan.block),
                          seconds_text(plan.seconds.total())}};
    for (const double seconds : step_seconds(plan)) row.cells.push_back(seconds_text(seconds));
    row.cells.push_back(fmt::format("{:.0f}", sent.words));
    row.cells.push_back(fmt::format("{:.0f}", sent.messages));
    if (!all_fit) row.cells.emplace_back(plan.fits ? "fits" : "does not fit");
    rows.push_back(std::move(row));
  }
  std::string text = page_table(heads, labels, rows);
  if (all > shown) text += fmt::format("and {} more\n", all - shown);
  return text;
}

}  // namespace

std::string plan_table(const std::vector<FactorisePlan>& plans, std::size_t all) {
  return table_of(plans, all, {"panels A", "multicast B", "update B", "rows C", "cores"},
                  [](const FactorisePlan& plan) {
                    const FactorisationSeconds& seconds = plan.seconds;
                    return std::vector{seconds.panel, seconds.multicast, seconds.update,
                                       seconds.rows + seconds.interchange,
                                       seconds.collectives + seconds.cores};
                  });
}

std::string plan_table(const std::vector<QrPlan>& plans, std::size_t all) {
  return table_of(plans, all, {"panels", "multicast", "sums", "update", "cores"},
                  [](const QrPlan& plan) {
                    const FactorisationSeconds& seconds = plan.seconds;
                    return std::vector{seconds.panel, seconds.multicast, seconds.rows,
                                       seconds.update, seconds.collectives + seconds.cores};
                  });
}

}  // namespace cuboid::detail::tools
