#include <cuboid/mm/blas/environment_overlay.hpp>
#include <cuboid/mm/blas/kernel_choice.hpp>

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace cuboid {
namespace {

const CpuFeatures xeon{"GenuineIntel", true, true};
const CpuFeatures client{"GenuineIntel", true, false};
const CpuFeatures old{"GenuineIntel", false, false};
const CpuFeatures zen{"AuthenticAMD", true, true};

TEST(KernelChoice, IntelIsJudgedByItsFlagsOthersAreLeftAlone) {
  EXPECT_EQ(best_kernels(xeon), KernelChoice::skylake_x);
  EXPECT_EQ(best_kernels(client), KernelChoice::haswell);
  EXPECT_EQ(best_kernels(old), KernelChoice::library);
  EXPECT_EQ(best_kernels(zen), KernelChoice::library);
  EXPECT_EQ(best_kernels({}), KernelChoice::library);
}

TEST(KernelChoice, AdviceOnlyWhereTheUserWastesTheCpu) {
  const std::string advice = kernel_advice(xeon, "Haswell", "OPENBLAS_CORETYPE", "Haswell");
  EXPECT_NE(advice.find("OPENBLAS_CORETYPE=Haswell"), std::string::npos) << advice;
  EXPECT_EQ(kernel_advice(xeon, "Haswell", "OPENBLAS_CORETYPE", ""), "");
  EXPECT_EQ(kernel_advice(xeon, "SkylakeX", "OPENBLAS_CORETYPE", "SkylakeX"), "");
  EXPECT_EQ(kernel_advice(client, "haswell", "BLIS_ARCH_TYPE", "3"), "");
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

}  // namespace
}  // namespace cuboid
