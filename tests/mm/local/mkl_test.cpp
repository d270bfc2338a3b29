#include <cuboid/local_gemm.hpp>

#include "base/shared_library.hpp"

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace mkl_test {

/// libmkl_rt asked for its threads takes Intel's OpenMP and ends the program where there is none;
/// its integers are what the program chose before.
TEST(Mkl, IsToldWhichThreadsToUseAndAskedForItsIntegers) {
  Environment environment;
  environment.blas = CUBOID_STAND_IN_FOR_MKL;
  const LocalGemm gemm = LocalGemm::open(environment, 3);
  const SharedLibrary told(CUBOID_STAND_IN_FOR_MKL);

  constexpr int sequential = 1, gnu_openmp = 3;
  EXPECT_EQ(told.find<int()>("told_threading_layer")(),
            SharedLibrary::can_be_loaded("libgomp.so.1") ? gnu_openmp : sequential);
  EXPECT_EQ(told.find<int()>("told_threads")(), 3);
  EXPECT_EQ(gemm.library(), "MKL 2042.1.3 (" CUBOID_STAND_IN_FOR_MKL ")");
  EXPECT_EQ(gemm.kernels(), "Vectors 512");

  constexpr std::int64_t more_than_32_bits = (std::int64_t{1} << 32) + 5;
  const double one = 1;
  double product = 0;
  gemm(Op::none, Op::transpose, 1, 1, more_than_32_bits, 1.0, &one, 1, &one, 1, 0.0, &product, 1);
  EXPECT_EQ(told.find<std::int64_t()>("told_k")(), more_than_32_bits);
}

TEST(SharedLibrary, SaysWhetherOneCanBeLoaded) {
  EXPECT_TRUE(SharedLibrary::can_be_loaded(CUBOID_STAND_IN_FOR_MKL));
  EXPECT_FALSE(SharedLibrary::can_be_loaded("libcuboid-knows-no-such-library.so.1"));
}

}  // namespace mkl_test
}  // namespace cuboid::detail
