#include "mm/local/environment_overlay.hpp"
#include "mm/local/kernel_choice.hpp"
#include "mm/local/library_choice.hpp"
#include "mm/local/trial.hpp"

#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace blas_choice_test {

const CpuFeatures xeon{"GenuineIntel", true, true};
const CpuFeatures client{"GenuineIntel", true, false};
const CpuFeatures old{"GenuineIntel", false, false};
const CpuFeatures young_epyc{"AuthenticAMD", true, true};
const CpuFeatures old_epyc{"AuthenticAMD", true, false};
const CpuFeatures hygon{"HygonGenuine", true, false};

TEST(KernelChoice, CpusAreJudgedByTheirFlags) {
  EXPECT_EQ(best_kernels(xeon), KernelChoice::skylake_x);
  EXPECT_EQ(best_kernels(client), KernelChoice::haswell);
  EXPECT_EQ(best_kernels(old), KernelChoice::library);
  EXPECT_EQ(best_kernels(young_epyc), KernelChoice::skylake_x);
  EXPECT_EQ(best_kernels(old_epyc), KernelChoice::library);
  EXPECT_EQ(best_kernels(hygon), KernelChoice::haswell);
  EXPECT_EQ(best_kernels({}), KernelChoice::library);
}

TEST(KernelChoice, BlisIsAskedForTheBestThatItHas) {
  const std::vector<std::string_view> of_debian{"skx",    "knl",  "knc",  "haswell", "sandybridge",
                                                "penryn", "zen3", "zen2", "zen",     "generic"};
  EXPECT_EQ(blis_kernels(xeon, of_debian), 0);
  EXPECT_EQ(blis_kernels(client, of_debian), 3);
  EXPECT_EQ(blis_kernels(young_epyc, of_debian), 0);
  EXPECT_EQ(blis_kernels(old_epyc, of_debian), std::nullopt);
  EXPECT_EQ(blis_kernels(old, of_debian), std::nullopt);
}

TEST(KernelChoice, BlisIsLeftAloneWhereItKnowsBetterOrHasNothingToAskFor) {
  const std::vector<std::string_view> of_amd{"error", "generic", "skx",  "haswell",
                                             "zen5",  "zen4",    "zen3", "generic"};
  EXPECT_EQ(blis_kernels(young_epyc, of_amd), std::nullopt);
  EXPECT_EQ(blis_kernels(xeon, of_amd), 2);
  EXPECT_EQ(blis_kernels(xeon, {"haswell", "generic"}), std::nullopt);
  EXPECT_EQ(blis_kernels(xeon, {}), std::nullopt);
}

TEST(KernelChoice, AdviceOnlyWhereTheUserWastesTheCpu) {
  const std::string advice = kernel_advice(xeon, "Haswell", "OPENBLAS_CORETYPE", "Haswell");
  EXPECT_NE(advice.find("OPENBLAS_CORETYPE=Haswell"), std::string::npos) << advice;
  EXPECT_EQ(kernel_advice(xeon, "Haswell", "OPENBLAS_CORETYPE", ""), "");
  EXPECT_EQ(kernel_advice(xeon, "SkylakeX", "OPENBLAS_CORETYPE", "SkylakeX"), "");
  EXPECT_EQ(kernel_advice(client, "haswell", "BLIS_ARCH_TYPE", "3"), "");
}

TEST(LibraryChoice, OpenBlasMultipliesOnIntelsCpusWithAvx512AndOnAmdsWithout) {
  const std::string blis = "/usr/lib/libblis.so.4", openblas = "libopenblas.so.0";
  EXPECT_EQ(faster_library(xeon, blis, openblas), openblas);
  EXPECT_EQ(faster_library(client, blis, openblas), blis);
  EXPECT_EQ(faster_library(young_epyc, blis, openblas), blis);
  EXPECT_EQ(faster_library(old_epyc, blis, openblas), openblas);
  EXPECT_EQ(faster_library({}, blis, openblas), blis);
}

TEST(LibraryChoice, WhatIsNeitherOfTheTwoStays) {
  EXPECT_EQ(faster_library(xeon, "libmkl_rt.so", "libopenblas.so.0"), "libmkl_rt.so");
  EXPECT_EQ(faster_library(xeon, "libblis.so.4", "/lib/openblas/liblapack.so.3"), "libblis.so.4");
}

TEST(LibraryChoice, MeasuresEveryLibraryThatIsHereOnce) {
  Environment environment;
  const std::vector<LibraryRate> rates = measured_libraries(environment);
  ASSERT_FALSE(rates.empty());
  EXPECT_TRUE(rates.front().multiplies);
  std::set<std::string> paths;
  for (const LibraryRate& rate : rates) {
    EXPECT_GT(rate.flops_per_second, 0) << rate.name;
    EXPECT_NE(rate.name.find(rate.path), std::string::npos) << rate.name;
    EXPECT_TRUE(paths.insert(rate.path).second) << rate.path;
    EXPECT_EQ(rate.multiplies, rate.path == blas_path(environment));
  }
  environment.blas = rates.back().path;
  EXPECT_EQ(measured_libraries(environment).size(), rates.size());
  EXPECT_EQ(measured_libraries(environment).front().path, rates.back().path);
}

TEST(Trial, TellsWhetherACallReturns) {
  EXPECT_TRUE(survives([] {}));
  EXPECT_FALSE(survives([] { std::abort(); }));
  EXPECT_FALSE(survives([] { throw 1; }));
  int here = 0;
  EXPECT_TRUE(survives([&] { here = 1; }));
  EXPECT_EQ(here, 0);
}

std::string value_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "(not set)" : value;
}

TEST(EnvironmentOverlay, AddsForItsLifetimeAndLeavesTheUsersAlone) {
  ASSERT_EQ(setenv("CUBOID_TEST_USERS", "mine", 1), 0);
  {
    const EnvironmentOverlay overlay(
        {{"CUBOID_TEST_USERS", "other"}, {"CUBOID_TEST_ADDED", "added"}});
    EXPECT_EQ(value_of("CUBOID_TEST_USERS"), "mine");
    EXPECT_EQ(value_of("CUBOID_TEST_ADDED"), "added");
    EXPECT_NE(value_of("PATH"), "(not set)");
  }
  EXPECT_EQ(value_of("CUBOID_TEST_USERS"), "mine");
  EXPECT_EQ(value_of("CUBOID_TEST_ADDED"), "(not set)");
}

TEST(EnvironmentOverlay, KeepsWhatSomebodySetMeanwhile) {
  {
    const EnvironmentOverlay overlay(EnvironmentOverlay::Variables{{"CUBOID_TEST_ADDED", "added"}});
    ASSERT_EQ(setenv("CUBOID_TEST_MEANWHILE", "kept", 1), 0);
  }
  EXPECT_EQ(value_of("CUBOID_TEST_MEANWHILE"), "kept");
}

}  // namespace blas_choice_test
}  // namespace cuboid::detail
