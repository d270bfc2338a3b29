#include "tools/validate/validation.hpp"

#include "tools/command/stolen_time.hpp"
#include "tools/validate/validation_report.hpp"
#include "tools/validate/visits.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail::tools {
namespace validation_test {

ValidationCase one(const std::string& operation, std::size_t bytes, double predicted,
                   double measured, bool chosen = false) {
  return {operation, bytes, 4, "torus:2x2", "tree", predicted, measured, chosen, false};
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

TEST(Validation, WordsAreComparedWhereTheyArePredicted) {
  ValidationReport report;
  report.cases = {one("mm", 64, 2, 2), one("lu", 64, 2, 2), one("lu", 64, 3, 3),
                  one("qr", 64, 2, 2)};
  EXPECT_FALSE(word_ratios_of(report.cases));
  EXPECT_TRUE(to_json(report)["words_ratio_most"].is_null());
  report.cases[1].words = {.predicted = 100, .sent = 90};
  report.cases[2].words = {.predicted = 100, .sent = 105};
  report.cases[3].words = {.predicted = 0, .sent = 0};  // of one process column, say
  const auto ratios = word_ratios_of(report.cases);
  ASSERT_TRUE(ratios);
  EXPECT_DOUBLE_EQ(ratios->least, 0.9);
  EXPECT_DOUBLE_EQ(ratios->most, 1.05);
  const auto json = to_json(report);
  EXPECT_EQ(json["cases"][1]["sent_words"], 90);
  EXPECT_TRUE(json["cases"][0]["sent_words"].is_null());
  EXPECT_DOUBLE_EQ(json["operations"]["lu"]["words_ratio_most"].get<double>(), 1.05);
  EXPECT_TRUE(json["operations"]["qr"]["words_ratio_most"].is_null());
  EXPECT_NE(to_text(report).find("model: lu 0.900 to 1.050\n"), std::string::npos);
  EXPECT_NE(to_csv(report).find(",100,90\n"), std::string::npos);
}

/// The words of a text that was folded.
std::string in_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += word + " ";
  return line;
}

TEST(Validation, ReportsSayWhatWasDisturbed) {
  ValidationReport report;
  report.cases = {one("broadcast", 64, 1, 2)};
  report.visits = 5;
  EXPECT_EQ(to_text(report).find("hypervisor"), std::string::npos);
  report.disturbed_visits = 2;
  report.cases[0].disturbed = true;
  EXPECT_NE(in_one_line(to_text(report)).find("during 2 of 5 measurements"), std::string::npos);
  EXPECT_NE(in_one_line(to_text(report)).find("1 cases were never measured without"),
            std::string::npos);
  EXPECT_EQ(to_json(report)["disturbed_visits"], 2);
  EXPECT_EQ(to_json(report)["cases"][0]["disturbed"], true);
}

TEST(Visits, CountWhatWasMeasuredInPeace) {
  constexpr double little = most_stolen, much = most_stolen * 1.01;
  Visits visits;
  visits.add({9, 9, 9}, much);
  EXPECT_EQ(visits.undisturbed(), 0);
  EXPECT_DOUBLE_EQ(visits.median(), 9) << "there is nothing better";
  visits.add({1, 3}, little);
  visits.add({2}, 0);
  EXPECT_EQ(visits.disturbed(), 1);
  EXPECT_EQ(visits.undisturbed(), 2);
  EXPECT_DOUBLE_EQ(visits.median(), 2);
}

TEST(StolenTime, IsInTheFirstLineOfProcStat) {
  std::istringstream known("cpu  10 20 30 40 50 60 70 80 9 9\ncpu0 1 1 1 1 1 1 1 1 1 1\n");
  const CoreTicks ticks = parse_core_ticks(known);
  EXPECT_EQ(ticks.stolen, 80U);
  EXPECT_EQ(ticks.all, 360U);
  for (const char* other : {"", "cpu 1 2 3", "intr 1 2 3 4 5 6 7 8 9 10"}) {
    std::istringstream text(other);
    EXPECT_EQ(parse_core_ticks(text).all, 0U) << other;
  }
  const double share = StolenTime().share();
  EXPECT_GE(share, 0);
  EXPECT_LE(share, 1);
}

}  // namespace validation_test
}  // namespace cuboid::detail::tools
