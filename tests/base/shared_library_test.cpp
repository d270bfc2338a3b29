#include "base/shared_library.hpp"

#include <cuboid/error.hpp>

#include <string>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace {

TEST(SharedLibrary, IsLoadedFromWhereItWasAtBuildTime) {
  const std::string here = SharedLibrary("libm.so.6").path();
  EXPECT_EQ(present_library(here), here);
}

TEST(SharedLibrary, IsSearchedForByNameOnAMachineThatHasItElsewhere) {
  EXPECT_EQ(present_library("/where/it/was/built/libm.so.6"), "libm.so.6");
  EXPECT_NO_THROW(SharedLibrary(present_library("/where/it/was/built/libm.so.6")));
  EXPECT_THROW(SharedLibrary("/where/it/was/built/libm.so.6"), Error);
}

}  // namespace
}  // namespace cuboid::detail
