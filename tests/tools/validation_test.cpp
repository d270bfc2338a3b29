#include <cuboid/tools/validation.hpp>
#include <cuboid/tools/validation_report.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::tools {
namespace {

ValidationCase one(const std::string& operation, std::size_t bytes, double predicted,
                   double measured, bool chosen = false) {
  return {operation, bytes, 4, "torus:2x2", "tree", predicted, measured, chosen};
}

TEST(Validation, ErrorsAreSharesOfWhatWasMeasured) {
  const std::vector cases = {one("a", 1, 1, 2), one("a", 1, 3, 2), one("a", 1, 2, 2),
                             one("a", 1, 6, 2)};
  const ErrorSummary errors = errors_of(cases);
  EXPECT_EQ(errors.cases, 4U);
  EXPECT_DOUBLE_EQ(errors.median, 0.5);
  EXPECT_DOUBLE_EQ(errors.p95, 2);
  EXPECT_DOUBLE_EQ(errors.worst, 2);
  EXPECT_EQ(errors_of({}).cases, 0U);
}

TEST(Validation, OneOfTwentyMayBeAboveThe95thPercentile) {
  std::vector<ValidationCase> cases(19, one("a", 1, 1.1, 1));
  cases.push_back(one("a", 1, 9, 1));
  EXPECT_NEAR(errors_of(cases).p95, 0.1, 1e-9);
  EXPECT_DOUBLE_EQ(errors_of(cases).worst, 8);
}

TEST(Validation, RegretIsAgainstTheBestOfTheSameCall) {
  const std::vector cases = {one("a", 1, 1, 3, true), one("a", 1, 1, 2),
                             one("a", 2, 1, 1, true), one("a", 2, 1, 5),
                             one("b", 1, 1, 1, true), one("c", 1, 1, 0.1)};
  const RegretSummary regret = regret_of(cases);
  EXPECT_DOUBLE_EQ(regret.median, 0);
  EXPECT_DOUBLE_EQ(regret.max, 0.5);
  EXPECT_EQ(regret_of({}).max, 0);
}

TEST(Validation, ReportsNameWhatTheyAreAsked) {
  ValidationReport report;
  report.cases = {one("broadcast", 64, 1, 2, true), one("mm", 64, 2, 2)};
  const auto json = to_json(report);
  for (const char* key : {"median_error", "p95_error", "selection_regret_median",
                          "selection_regret_max", "operations", "cases"})
    EXPECT_TRUE(json.contains(key)) << key;
  for (const char* key : {"operation", "bytes", "ranks", "shape", "algorithm", "predicted_seconds",
                          "measured_seconds"})
    EXPECT_TRUE(json["cases"][0].contains(key)) << key;
  EXPECT_DOUBLE_EQ(json["operations"]["broadcast"]["median_error"].get<double>(), 0.5);
  const std::string csv = to_csv(report);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  EXPECT_NE(to_text(report).find("broadcast"), std::string::npos);
}

}  // namespace
}  // namespace cuboid::tools
