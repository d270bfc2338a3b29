#include <cuboid/buffer.hpp>
#include <cuboid/error.hpp>
#include <cuboid/half.hpp>

#include "devices/kernels/device_kernels.hpp"
#include "tests/devices/a_device.hpp"

#include <complex>
#include <filesystem>
#include <fstream>
#include <limits>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace kernels_test {

std::optional<std::string> nvrtc() {
  return on_a_real_device() ? std::nullopt : std::optional<std::string>(CUBOID_STAND_IN_FOR_CUDA);
}

/// An empty cache folder of one test.
class CacheFolder {
 public:
  CacheFolder() : path_(testing::TempDir() + "kernels_" + std::to_string(getpid())) {
    std::filesystem::remove_all(path_);
  }
  ~CacheFolder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(path_ + "/cuboid/kernels"))
      found.push_back(entry.path());
    return found;
  }

 private:
  std::string path_;
};

template <class T>
std::vector<T> after(const DeviceKernels& kernels, Combination operation, NumberType type,
                     const std::vector<T>& into, const std::vector<T>& from) {
  const DeviceArray<T> left(into), right(from);
  const CudaStream stream(test_device());
  kernels.combine(stream, operation, type, right.data(), left.data(), into.size());
  stream.wait();
  return left.read();
}

TEST(DeviceKernels, CombineAsTheCoresDo) {
  const StandIn stand_in;
  const CudaDevice::Current current(test_device());
  const DeviceKernels kernels(test_device(), nvrtc(), std::nullopt);
  for (const char* mode : {"in_order", "late", "early"}) {
    stand_in.streams(mode);
    using Doubles = std::vector<double>;
    EXPECT_EQ(after(kernels, Combination::sum, NumberType::float64, Doubles{1, 2}, Doubles{.5, 3}),
              (Doubles{1.5, 5}));
    EXPECT_EQ(
        after(kernels, Combination::maximum, NumberType::float64, Doubles{1, -2}, Doubles{.5, 3}),
        (Doubles{1, 3}));
    using Bytes = std::vector<std::uint8_t>;
    EXPECT_EQ(after(kernels, Combination::sum, NumberType::uint8, Bytes{200, 1}, Bytes{100, 2}),
              (Bytes{44, 3}));
    EXPECT_EQ(
        after(kernels, Combination::bitwise_xor, NumberType::uint8, Bytes{12, 1}, Bytes{10, 1}),
        (Bytes{6, 0}));
    using Integers = std::vector<std::int64_t>;
    EXPECT_EQ(after(kernels, Combination::logical_and, NumberType::int64, Integers{7, 0, -1},
                    Integers{-2, 5, 0}),
              (Integers{1, 0, 0}));
    using Complex = std::vector<std::complex<float>>;
    EXPECT_EQ(after(kernels, Combination::product, NumberType::complex64, Complex{{1, 2}},
                    Complex{{3, -1}}),
              (Complex{{5, 5}}));
    using Halves = std::vector<Float16>;
    EXPECT_EQ(after(kernels, Combination::sum, NumberType::float16, Halves{Float16(2048)},
                    Halves{Float16(1)}),
              (Halves{Float16(2048)}));
  }
}

TEST(DeviceKernels, EveryOperationOfEveryTypeCompiles) {
  const StandIn stand_in;
  const CudaDevice::Current current(test_device());
  const DeviceKernels kernels(test_device(), nvrtc(), std::nullopt);
  const CudaStream stream(test_device());
  const DeviceArray<std::byte> one(std::vector<std::byte>(16)), other(std::vector<std::byte>(16));
  int defined = 0;
  for (int operation = 0; operation <= static_cast<int>(Combination::bitwise_xor); ++operation)
    for (int type = 0; type <= static_cast<int>(NumberType::complex128); ++type) {
      const auto which = static_cast<Combination>(operation);
      const auto of = static_cast<NumberType>(type);
      const auto combine = [&] { kernels.combine(stream, which, of, one.data(), other.data(), 1); };
      if (is_defined(which, of)) {
        ++defined;
        EXPECT_NO_THROW(combine()) << to_string(which) << " " << to_string(of);
      } else {
        EXPECT_THROW(combine(), Error) << to_string(which) << " " << to_string(of);
      }
    }
  EXPECT_EQ(defined, 2 * 14 + 5 * 12 + 3 * 8);
  stream.wait();
}

TEST(DeviceKernels, FoldFromLeftToRight) {
  const StandIn stand_in;
  const CudaDevice::Current current(test_device());
  const DeviceKernels kernels(test_device(), nvrtc(), std::nullopt);
  const CudaStream stream(test_device());
  const DeviceArray<float> a({1, 3}), b({1e8f, 5}), c({-1e8f, 7});
  const std::array<const void*, 3> all{a.data(), b.data(), c.data()};
  kernels.fold(stream, Combination::sum, NumberType::float32, all, b.data(), 2);  // in place
  stream.wait();
  EXPECT_EQ(b.read(), (std::vector<float>{0, 15}));
  kernels.fold(stream, Combination::average, NumberType::float32, std::span(all).first(2), c.data(),
               2);
  stream.wait();
  EXPECT_EQ(c.read(), (std::vector<float>{.5f, 9}));
  for (int type = 0; type <= static_cast<int>(NumberType::complex128); ++type) {
    for (int operation = 0; operation <= static_cast<int>(Combination::average); ++operation) {
      const auto which = static_cast<Combination>(operation);
      const auto of = static_cast<NumberType>(type);
      const auto prepare = [&] { kernels.prepare_fold(which, of, 3); };
      if (is_defined(which, of)) {
        EXPECT_NO_THROW(prepare()) << to_string(which) << " " << to_string(of);
      } else {
        EXPECT_THROW(prepare(), Error) << to_string(which) << " " << to_string(of);
      }
    }
  }
}

TEST(DeviceKernels, Convert) {
  const StandIn stand_in;
  stand_in.streams("late");
  const CudaDevice::Current current(test_device());
  const DeviceKernels kernels(test_device(), nvrtc(), std::nullopt);
  const CudaStream stream(test_device());
  const DeviceArray<float> floats({1, 65520, 0.1f});
  const DeviceArray<Float16> halves(std::vector<Float16>(3));
  kernels.convert(stream, NumberType::float32, floats.data(), NumberType::float16, halves.data(),
                  3);
  const DeviceArray<double> doubles(std::vector<double>(3));
  kernels.convert(stream, NumberType::float16, halves.data(), NumberType::float64, doubles.data(),
                  3);
  stream.wait();
  EXPECT_EQ(doubles.read(), (std::vector<double>{1, std::numeric_limits<double>::infinity(),
                                                 static_cast<float>(Float16(0.1f))}));
  EXPECT_THROW(kernels.convert(stream, NumberType::int32, floats.data(), NumberType::float32,
                               floats.data(), 3),
               Error);
}

TEST(DeviceKernels, PackUnpackAndFill) {
  const StandIn stand_in;
  stand_in.streams("late");
  const CudaDevice::Current current(test_device());
  const DeviceKernels kernels(test_device(), nvrtc(), std::nullopt);
  const CudaStream stream(test_device());
  // Rows 1 and 2 of a 4×3 matrix of 16-bit numbers: the unit is one number.
  const DeviceArray<std::int16_t> matrix({0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23});
  const DeviceArray<std::int16_t> packed(std::vector<std::int16_t>(6));
  kernels.copy(stream, {matrix.data() + 1, 8, true}, {packed.data(), 4, true}, 4, 3);
  const std::int16_t nine = 9;
  kernels.fill(stream, &nine, sizeof nine, {matrix.data() + 4, 8, true}, 8, 1);
  kernels.copy(stream, {packed.data(), 4, true}, {matrix.data() + 2, 8, true}, 4, 3);
  stream.wait();
  EXPECT_EQ(packed.read(), (std::vector<std::int16_t>{1, 2, 11, 12, 21, 22}));
  EXPECT_EQ(matrix.read(), (std::vector<std::int16_t>{0, 1, 1, 2, 9, 9, 11, 12, 20, 21, 21, 22}));
  EXPECT_THROW(kernels.fill(stream, &nine, 3, {matrix.data(), 6, true}, 6, 1), Error);
}

TEST(DeviceKernels, AreCompiledOnceAndKept) {
  if (on_a_real_device()) GTEST_SKIP() << "needs the stand-in's counts";
  const StandIn stand_in;
  const CacheFolder cache;
  const CudaDevice::Current current(test_device());
  const auto compiled_by_use = [&] {
    const std::int64_t before = stand_in.compiled();
    const DeviceKernels kernels(test_device(), nvrtc(), cache.path());
    for (int time = 0; time < 2; ++time)
      EXPECT_EQ(after(kernels, Combination::sum, NumberType::float32, std::vector<float>{1},
                      std::vector<float>{2}),
                std::vector<float>{3});
    return stand_in.compiled() - before;
  };
  EXPECT_EQ(compiled_by_use(), 1);
  EXPECT_EQ(compiled_by_use(), 0);
  ASSERT_EQ(cache.files().size(), 1u);
  // A file that was cut off is replaced.
  std::filesystem::resize_file(cache.files().front(),
                               std::filesystem::file_size(cache.files().front()) / 2);
  EXPECT_EQ(compiled_by_use(), 1);
  EXPECT_EQ(compiled_by_use(), 0);
}

TEST(DeviceKernels, AFolderThatCannotBeUsedKeepsNothing) {
  const StandIn stand_in;
  const CudaDevice::Current current(test_device());
  const DeviceKernels kernels(test_device(), nvrtc(), "/dev/null/nowhere");
  EXPECT_EQ(
      after(kernels, Combination::sum, NumberType::int32, std::vector<int>{1}, std::vector<int>{2}),
      std::vector<int>{3});
}

TEST(DeviceKernels, AMissingCompilerNamesThePackage) {
  const CudaDevice::Current current(test_device());
  for (const char* file : {"/nowhere/libnvrtc.so.12", "libm.so.6"}) {
    const DeviceKernels kernels(test_device(), file, std::nullopt);
    try {
      after(kernels, Combination::sum, NumberType::int32, std::vector<int>{1}, std::vector<int>{2});
      ADD_FAILURE() << file;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unsupported);
      EXPECT_NE(std::string(error.what()).find("nvidia-cuda-nvrtc"), std::string::npos)
          << error.what();
    }
  }
}

TEST(DeviceKernels, WhatDoesNotCompileIsAnErrorWithTheLog) {
  if (on_a_real_device()) GTEST_SKIP() << "needs a compiler that fails";
  const StandIn stand_in;
  const CudaDevice::Current current(test_device());
  const DeviceKernels kernels(test_device(), nvrtc(), std::nullopt);
  stand_in.fail("nvrtcCompileProgram", 0, 1);
  try {
    after(kernels, Combination::sum, NumberType::int32, std::vector<int>{1}, std::vector<int>{2});
    ADD_FAILURE();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("said by the stand-in"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

}  // namespace kernels_test
}  // namespace cuboid::detail
