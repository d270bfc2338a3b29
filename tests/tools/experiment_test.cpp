#include <cuboid/error.hpp>

#include "models/messages/machine.hpp"
#include "tools/experiment/experiment_cases.hpp"
#include "tools/experiment/experiment_options.hpp"
#include "tools/experiment/experiment_output.hpp"
#include "tools/experiment/experiment_plot.hpp"
#include "tools/experiment/outcome.hpp"
#include "tools/experiment/run_log.hpp"
#include "tools/output/time_split.hpp"
#include "tools/papers/hierarchical_costs.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace cuboid::detail::tools {
namespace experiment_test {

using Json = nlohmann::ordered_json;

const Scale small{.ranks = {1, 2, 3, 4, 6}, .memory_bytes = 1 << 20};

TEST(Experiments, AllThatWereAskedForAreThereOnce) {
  std::set<std::string_view> names;
  for (const Experiment& one : experiments()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_EQ(find_experiment(one.name), &one);
    EXPECT_NE(one.source.find(" 20"), std::string_view::npos) << "a paper's year: " << one.source;
  }
  for (const char* name :
       {"cosma-fig6",        "cosma-fig7",        "cosma-fig8",        "cosma-fig9",
        "cosma-fig10",       "cosma-fig11",       "cosma-fig12",       "cosma-fig13",
        "cosma-fig14",       "srumma-fig5",       "cosma-rpa",         "srumma-fig9",
        "srumma-fig10",      "sd-cannon-fig2",    "hsumma-fig5",       "hsumma-fig6",
        "hsumma-fig7",       "hsumma-fig8",       "hsumma-fig9",       "rectangular-fig1",
        "rectangular-fig4a", "rectangular-fig4b", "rectangular-fig5a", "rectangular-fig5b",
        "rectangular-fig6",  "rectangular-fig10", "rectangular-fig11"})
    EXPECT_EQ(names.count(name), 1U) << name;
  EXPECT_EQ(find_experiment("list"), nullptr);
}

TEST(Experiments, EveryOneHasRunsWithoutPlaceholders) {
  for (const Experiment& one : experiments()) {
    for (const Scale& scale : {small, Scale{.ranks = {4}, .memory_bytes = 1}}) {
      const auto cases = cases_of(one, scale);
      EXPECT_FALSE(cases.empty()) << one.name;
      for (const Case& run : cases) {
        EXPECT_GE(run.ranks, 1);
        for (const std::string& word : run.arguments) {
          EXPECT_EQ(word.find_first_of("{}"), std::string::npos) << word;
          EXPECT_FALSE(word.empty());
        }
      }
    }
    for (const Case& run : modelled_cases_of(one)) EXPECT_EQ(run.arguments.front(), "model");
  }
}

TEST(Experiments, RegimesAreThoseOfThePaper) {
  const double one = words_of_matrices(MemoryRegime::strong, 1, small);
  EXPECT_DOUBLE_EQ(one, (1 << 20) / 24.0);
  for (const int ranks : {1, 2, 8, 27}) {
    EXPECT_DOUBLE_EQ(words_of_matrices(MemoryRegime::strong, ranks, small), one);
    EXPECT_DOUBLE_EQ(words_of_matrices(MemoryRegime::limited, ranks, small), one * ranks);
  }
  // p^(1/3) copies of the input fit.
  EXPECT_DOUBLE_EQ(words_of_matrices(MemoryRegime::limited, 27, small),
                   3 * words_of_matrices(MemoryRegime::extra, 27, small));
}

TEST(Experiments, ProductsFillTheWordsTheyAreGiven) {
  for (const ProductShape shape :
       {ProductShape::square, ProductShape::large_k, ProductShape::large_m, ProductShape::flat}) {
    for (const double words : {1e5, 3e6, 1e9, 2e12}) {
      const auto [m, n, k] = extents_of(shape, words);
      const auto x = static_cast<double>(m), y = static_cast<double>(n), z = static_cast<double>(k);
      EXPECT_NEAR((x * z + z * y + x * y) / words, 1, 0.05) << to_string(shape) << " " << words;
    }
    const auto [m, n, k] = extents_of(shape, 0);
    EXPECT_GE(std::min({m, n, k}), 1);
  }
  EXPECT_EQ(extents_of_molecules(128), (CaseExtents{17408, 17408, 3735552}));
  EXPECT_EQ(extents_of(ProductShape::molecules, 1.31e11), extents_of_molecules(128));
}

TEST(Experiments, TheMoleculesOfThePaperAreModelled) {
  const auto cases = modelled_cases_of(*find_experiment("cosma-rpa"));
  EXPECT_TRUE(std::ranges::any_of(
      cases, [](const Case& one) { return one.extents == extents_of_molecules(128); }));
  EXPECT_TRUE(modelled_cases_of(*find_experiment("srumma-fig9")).empty());
}

/// The value that follows a flag; empty if it is not there.
std::string value_of(const Case& one, std::string_view flag) {
  const auto at = std::ranges::find(one.arguments, flag);
  return at == one.arguments.end() ? "" : at[1];
}

TEST(Experiments, AreModelledAsThePapersRanThem) {
  int of_all_cores = 0;
  for (const Case& one : modelled_cases_of(*find_experiment("cosma-fig8"))) {
    const bool nine = one.variant.starts_with("SUMMA");  // four ranks a node, nine cores each
    EXPECT_EQ(one.cores_per_rank, nine ? 9 : 1) << one.variant;
    EXPECT_EQ(value_of(one, "--ranks-per-node"), nine ? "4" : "36") << one.variant;
    if (one.x == 18432) {
      EXPECT_EQ(one.ranks, nine ? 2048 : 18432);
      ++of_all_cores;
    }
  }
  EXPECT_EQ(of_all_cores, 3 * 4);  // four programs in three regimes
  // ScaLAPACK does not move the largest matrix: C of flat products, A of those with a long k.
  for (const auto& [name, algorithm] :
       {std::pair("cosma-fig8", "summa"), std::pair("cosma-fig10", "stationary-a")})
    for (const Case& one : modelled_cases_of(*find_experiment(name)))
      if (one.variant.starts_with("SUMMA")) {
        EXPECT_EQ(value_of(one, "--algorithm"), algorithm);
      }
  // Networks and the variants' flags are kept, and each figure has its own size.
  for (const Case& one : modelled_cases_of(*find_experiment("sd-cannon-fig2")))
    EXPECT_EQ(value_of(one, "--network"), "torus:8x8");
  for (const Case& one : modelled_cases_of(*find_experiment("rectangular-fig4a"))) {
    EXPECT_EQ(one.extents, (CaseExtents{65536, 65536, 65536}));
    if (one.variant == "2.5D") {
      EXPECT_EQ(value_of(one, "--layers"), std::to_string(one.ranks / 256));
    }
  }
  for (const Case& one : modelled_cases_of(*find_experiment("hsumma-fig8"))) {
    EXPECT_EQ(value_of(one, "--panel"), "256");
    if (one.variant == "HSUMMA") {
      EXPECT_EQ(value_of(one, "--groups"), std::to_string(std::llround(one.x)));
    }
  }
}

TEST(Experiments, ScalingTakesTheBestNumberOfGroups) {
  for (const auto& [name, machine, block] :
       {std::tuple("hsumma-fig7", "grid5000", 512), std::tuple("hsumma-fig9", "bgp-hsumma", 256)}) {
    const Hockney network = hockney(find_machine(machine)->between_nodes);
    for (const Case& one : modelled_cases_of(*find_experiment(name))) {
      const GroupedProduct product{static_cast<double>(one.extents.n),
                                   static_cast<double>(one.ranks), static_cast<double>(block),
                                   static_cast<double>(block)};
      const double best = optimal_groups(network, product);
      if (one.variant == "HSUMMA") {
        EXPECT_EQ(std::stod(value_of(one, "--groups")), std::exp2(std::floor(std::log2(best))))
            << name << " on " << one.ranks;
      }
      const int rows = 1 << static_cast<int>(std::log2(one.ranks)) / 2;
      EXPECT_EQ(value_of(one, "--grid"),
                std::to_string(rows) + "x" + std::to_string(one.ranks / rows));
    }
  }
}

TEST(Experiments, AllButThoseOfMachinesWithoutParametersAreModelled) {
  for (const Experiment& one : experiments()) {
    const bool without = one.name.starts_with("srumma");
    EXPECT_EQ(modelled_cases_of(one).empty(), without) << one.name;
  }
}

TEST(TimeSplit, PartsAddUpToTheRun) {
  for (const double waited : {0.0, 1.0, 5.0}) {
    for (const double alone : {0.0, 2.0, 9.0}) {
      const TimeSplit split = split_of(10, 4, waited, alone);
      EXPECT_DOUBLE_EQ(split.compute + split.exchange_shown + split.idle, 10);
      EXPECT_DOUBLE_EQ(split.exchange_hidden,
                       std::min(alone - split.exchange_shown, split.compute));
      EXPECT_GE(split.exchange_hidden, 0);
      EXPECT_LE(split.exchange_shown, waited);
    }
  }
}

/// A file that goes with the test. Tests run at the same time, so each has its own.
class RunLogTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  void write(const std::string& text) const { std::ofstream(path_) << text; }

  std::string path_ = testing::TempDir() + "cuboid-run-log-" + std::to_string(getpid()) + ".jsonl";
};

TEST_F(RunLogTest, KeepsWhatHasRun) {
  RunLog(path_).add("a \"b\"", {{"seconds", 2}});
  RunLog log(path_);
  ASSERT_NE(log.find("a \"b\""), nullptr);
  EXPECT_EQ((*log.find("a \"b\""))["seconds"], 2);
  EXPECT_EQ(log.find("c"), nullptr);
}

TEST_F(RunLogTest, GoesOnAfterALineCutShort) {
  write(R"({"command":"a","result":{}})"
        "\n"
        R"({"command":"b","res)");
  {
    RunLog log(path_);
    EXPECT_NE(log.find("a"), nullptr);
    EXPECT_EQ(log.find("b"), nullptr);
    log.add("c", {{"seconds", 1}});
  }
  write(R"({"command":"a","result":{}})"
        "\nnonsense\n");
  try {
    RunLog log(path_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(":2:"), std::string::npos) << error.what();
  }
}

Row row_of_product() {
  Row row;
  row.one = {.variant = "COSMA",
             .panel = "square, strong scaling",
             .ranks = 4,
             .extents = {100, 100, 100},
             .bytes = 0,
             .x = 4,
             .arguments = {},
             .variables = {}};
  row.command = "cuboid mm --m 100";
  const Json result = {
      {"seconds", 0.5},
      {"split",
       {{"compute", 0.25}, {"exchange_hidden", 0.125}, {"exchange_shown", 0.125}, {"idle", 0.125}}},
      {"bytes_received_max", 80},
      {"bytes_sent_total", 160},
      {"messages_max", 3},
      {"plan",
       {{"seconds", 0.5},
        {"compute_seconds", 0.25},
        {"communicate_seconds", 0.375},
        {"multiplications_max", 500000},
        {"words_max", 10},
        {"messages_max", 2}}}};
  read_measured(Work::multiply, result, row);
  return row;
}

TEST(Rows, MeasuredAndModelledStandSideBySide) {
  std::vector<Row> rows{row_of_product()};
  rate_by_peak(rows);
  const Row& row = rows.front();
  EXPECT_EQ(row.measured.bytes_sent_mean, 40);
  EXPECT_EQ(row.modelled.compute, 0.125);  // of the mean rank, which has half the busiest's work
  EXPECT_EQ(row.modelled.idle, 0.125);
  EXPECT_EQ(row.modelled.exchange_shown, 0.25);
  EXPECT_EQ(row.modelled.exchange_hidden, 0.125);
  EXPECT_EQ(row.modelled.bytes_received_max, 80);
  // A rank's gemm does 1e6 flops in 0.25 s; the product has 2e6 on four ranks in 0.5 s.
  EXPECT_EQ(row.measured.percent_of_peak, 25);
  // Gemms that ran faster than predicted are the peak.
  rows.front().measured.compute = 0.0625;
  rate_by_peak(rows);
  EXPECT_EQ(rows.front().measured.percent_of_peak, 12.5);
}

Json model_without_flop_rate(bool fits) {
  const Json candidate = {{"seconds", 0.25},
                          {"compute_seconds", nullptr},
                          {"communicate_seconds", 0.25},
                          {"multiplications_max", 500000},
                          {"words_max", 10},
                          {"messages_max", 2},
                          {"memory_bytes", 3 << 20},
                          {"fits", fits}};
  return {{"memory_bytes", 1 << 20}, {"candidates", Json::array({candidate})}};
}

TEST(Rows, APlanWithoutRoomIsNoPrediction) {
  Row row = row_of_product();
  row.modelled = {};
  read_modelled(Work::multiply, model_without_flop_rate(false), row);
  EXPECT_EQ(row.error, "needs 3.00 MiB of memory per rank, has 1.00 MiB");
  EXPECT_EQ(row.modelled.seconds, std::nullopt);
}

TEST(Rows, WithoutAFlopRateAllSecondsAreTheExchanges) {
  Row row = row_of_product();
  row.modelled = {};
  read_modelled(Work::multiply, model_without_flop_rate(true), row);
  EXPECT_EQ(row.modelled.seconds, 0.25);
  EXPECT_EQ(row.modelled.exchange_shown, 0.25);
  EXPECT_EQ(row.modelled.exchange_hidden, 0);
  EXPECT_EQ(row.modelled.compute, std::nullopt);
  EXPECT_EQ(row.modelled.gflops, std::nullopt);
}

TEST(Rows, PredictionsAreInBracketsBesideMeasurementsOnly) {
  const Experiment& experiment = *find_experiment("cosma-fig9");
  Row row = row_of_product();
  const std::string both = to_text(experiment, {row, row});
  EXPECT_NE(both.find("in brackets, times in ms"), std::string::npos) << both;
  EXPECT_NE(both.find("500 (500)"), std::string::npos) << both;
  EXPECT_EQ(both.find("COSMA"), both.rfind("COSMA")) << "a run twice:\n" << both;
  Row other = row;  // two curves may share a run: 2.5D on one layer is 2D
  other.one.variant = "2D";
  EXPECT_NE(to_text(experiment, {row, other}).find("2D"), std::string::npos);
  row.measured = {};
  row.modelled.seconds = 62030.4;
  const std::string alone = to_text(experiment, {row});
  EXPECT_NE(alone.find("; predicted,"), std::string::npos) << alone;
  EXPECT_NE(alone.find(" 62030400\n"), std::string::npos) << alone;
}

TEST(Rows, ADistributionHasALineForEachCurve) {
  std::vector<Row> rows;
  for (const double percent : {30.0, 10.0, 20.0, 50.0}) {
    rows.push_back(row_of_product());
    rows.back().command += std::to_string(rows.size());
    rows.back().measured.percent_of_peak = percent;
  }
  rows.back().one.variant = "CARMA";
  const std::string text = to_text(*find_experiment("cosma-fig13"), rows);
  for (const char* line :
       {"COSMA         3     10      20    30", "CARMA         1     50      50    50"})
    EXPECT_NE(text.find(line), std::string::npos) << text;
}

TEST(Rows, OfAnotherVersionAreRefused) {
  Row row;
  row.command = "cuboid mm";
  EXPECT_THROW(read_measured(Work::multiply, {{"seconds", 1}}, row), Error);
}

TEST(Rows, CsvAndJsonHaveTheSameColumns) {
  const Experiment& experiment = *find_experiment("cosma-fig8");
  std::vector<Row> rows{row_of_product(), row_of_product()};
  rows.back().error = "said \"no\", and ended";
  const std::string csv = to_csv(experiment, rows);
  const std::string head = csv.substr(0, csv.find('\n'));
  for (const CostColumn& column : cost_columns) {
    EXPECT_NE(head.find("," + std::string(column.name)), std::string::npos) << column.name;
    EXPECT_NE(head.find(",modelled_" + std::string(column.name)), std::string::npos);
  }
  EXPECT_NE(csv.find("\"said \"\"no\"\", and ended\""), std::string::npos);
  const Json json = to_json(experiment, rows);
  ASSERT_EQ(json["rows"].size(), 2U);
  EXPECT_EQ(json["rows"][0]["measured"]["seconds"], 0.5);
  EXPECT_TRUE(json["rows"][0]["measured"]["bandwidth"].is_null());
  EXPECT_EQ(json["rows"][1]["error"], "said \"no\", and ended");
  EXPECT_NE(to_text(experiment, rows).find("not run: cuboid mm"), std::string::npos);
}

TEST(Rows, EveryKindOfFigureIsDrawn) {
  for (const char* name : {"cosma-fig8", "cosma-fig12", "cosma-fig13", "hsumma-fig5"}) {
    std::vector<Row> rows{row_of_product()};
    rate_by_peak(rows);
    const std::string commands = gnuplot_commands(*find_experiment(name), rows);
    EXPECT_NE(commands.find("plot $data0"), std::string::npos) << name;
  }
  Row failed = row_of_product();
  failed.error = "no";
  EXPECT_EQ(gnuplot_commands(*find_experiment("cosma-fig8"), {failed}), "");
}

TEST(Rows, AMeasuredLineIsModelledAsALine) {
  const Json result = {{"operation", "broadcast"},
                       {"axis", 1},
                       {"shape", {{"extents", {4, 3}}, {"wraps", {true, false}}, {"text", "x"}}},
                       {"results", {{{"bytes", 8}, {"algorithm", "chain, segments of 8 bytes"}}}}};
  const std::vector<std::string> expected{"model",        "broadcast", "--network", "mesh:3",
                                          "--parameters", "bgp",       "--size",    "8",
                                          "--algorithm",  "chain",     "--json"};
  EXPECT_EQ(model_of_collective(result, "bgp"), expected);
  EXPECT_TRUE(model_of_collective(result, "").empty());
  EXPECT_TRUE(model_of_collective({{"shape", nullptr}}, "bgp").empty());
}

TEST(Options, RanksGoUpToTheCores) {
  ExperimentFlags flags;
  flags.name = "cosma-fig8";
  EXPECT_EQ(read_flags(flags, {}, 1).scale.ranks, (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(read_flags(flags, {}, 13).scale.ranks, (std::vector<int>{1, 2, 3, 4, 6, 8, 12}));
  flags.ranks = "8,2,8";
  EXPECT_EQ(read_flags(flags, {}, 1).scale.ranks, (std::vector<int>{2, 8}));
}

}  // namespace experiment_test
}  // namespace cuboid::detail::tools
