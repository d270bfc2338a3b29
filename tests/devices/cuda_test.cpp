#include <cuboid/error.hpp>

#include "devices/cuda/cublas_library.hpp"
#include "tests/devices/a_device.hpp"

#include <numeric>

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace cuboid::detail {
namespace cuda_test {

template <class Call>
std::string refusal(ErrorCode code, const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

TEST(CudaDriver, MissingOrForeignLibrariesNameTheRemedy) {
  const std::string missing =
      refusal(ErrorCode::unsupported, [] { CudaDriver::at("/nowhere/libcuda.so.1"); });
  EXPECT_NE(missing.find("/nowhere/libcuda.so.1"), std::string::npos) << missing;
  EXPECT_NE(missing.find("CUBOID_CUDA"), std::string::npos) << missing;
  const std::string foreign = refusal(ErrorCode::unsupported, [] { CudaDriver::at("libm.so.6"); });
  EXPECT_NE(foreign.find("cuInit"), std::string::npos) << foreign;
}

TEST(CudaDevice, HasANameAndMemory) {
  const CudaDevice& device = test_device();
  EXPECT_EQ(device.number(), 0);
  EXPECT_EQ(device.name().find("device 0 ("), 0u) << device.name();
  EXPECT_GT(device.free_memory(), 0u);
  const DeviceDescription description = describe_device(device.driver(), 0);
  EXPECT_GE(description.memory, device.free_memory());
  EXPECT_FALSE(description.capability.empty());
}

TEST(CudaDevice, NumbersBeyondTheLastAreRefused) {
  const std::string message =
      refusal(ErrorCode::invalid_argument, [] { CudaDevice::at(test_device().driver(), 77); });
  EXPECT_NE(message.find("no device 77"), std::string::npos) << message;
}

TEST(CudaStream, CopiesRectanglesAndClears) {
  const StandIn stand_in;
  for (const char* mode : {"in_order", "early", "late"}) {
    stand_in.streams(mode);
    std::vector<double> numbers(60);
    std::iota(numbers.begin(), numbers.end(), 0.0);
    const DeviceArray<double> there(numbers);
    const CudaStream stream(test_device());
    // Rows 2 and 3 of columns 1 and 2 of a 10×6 matrix are cleared; then 3×2 are copied out.
    stream.clear({there.data() + 12, 10 * sizeof(double), true}, 2 * sizeof(double), 2);
    std::vector<double> out(6, -1);
    stream.copy({there.data() + 11, 10 * sizeof(double), true}, {out.data(), 3 * sizeof(double)},
                3 * sizeof(double), 2);
    stream.wait();
    EXPECT_EQ(out, (std::vector<double>{11, 0, 0, 21, 0, 0})) << mode;
    EXPECT_EQ(there.read()[14], 14) << mode;
  }
}

TEST(CudaStream, CopiesLinesFartherApartThanThePitchesOfTheDriver) {
  const CudaDevice::Current current(test_device());
  constexpr std::size_t pitch = std::size_t{1} << 31, bytes = 2 * pitch + 4096;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const auto line = [&](std::size_t number) {
    return reinterpret_cast<double*>(static_cast<std::byte*>(memory) + number * pitch);
  };
  for (std::size_t number = 0; number < 3; ++number) *line(number) = static_cast<double>(number);
  const CudaStream stream(test_device());
  const DeviceArray<double> there(std::vector<double>(3, -1));
  stream.copy({memory, pitch, false}, {there.data(), sizeof(double), true}, sizeof(double), 3);
  stream.wait();
  EXPECT_EQ(there.read(), (std::vector<double>{0, 1, 2}));
  stream.copy({there.data(), 0, true}, {memory, pitch, false}, sizeof(double), 3);
  stream.wait();
  EXPECT_EQ(*line(2), 0);
  munmap(memory, bytes);
}

TEST(CudaEvent, OrdersStreams) {
  const StandIn stand_in;
  for (unsigned seed = 1; seed <= 50; ++seed) {
    stand_in.streams(seed % 2 == 0 ? "late" : "early", seed);
    const CudaDevice::Current current(test_device());
    std::vector<float> one(1000, 1), two(1000, 0);
    const auto pages = PinnedPages::of(test_device(), two.data(), two.size() * sizeof(float));
    const CudaStream first(test_device()), second(test_device());
    const CudaEvent came(test_device());
    const DeviceArray<float> there(std::vector<float>(1000, 7));
    const std::size_t bytes = one.size() * sizeof(float);
    first.copy({one.data(), bytes}, {there.data(), bytes, true}, bytes, 1);
    first.record(came);
    second.wait_for(came);
    second.copy({there.data(), bytes, true}, {two.data(), bytes}, bytes, 1);
    second.wait();
    EXPECT_EQ(two, one) << seed;
    EXPECT_TRUE(came.done());
  }
}

TEST(DeviceMemory, ExhaustedNamesDeviceCallAndRemedy) {
  const CudaDevice::Current current(test_device());
  const std::string message = refusal(ErrorCode::out_of_memory, [] {
    const DeviceMemory too_much(test_device(), std::size_t{1} << 50);
  });
  EXPECT_NE(message.find("device 0"), std::string::npos) << message;
  EXPECT_NE(message.find("cuMemAlloc"), std::string::npos) << message;
  EXPECT_NE(message.find("CUBOID_DEVICE_MEMORY"), std::string::npos) << message;
}

TEST(CudaDevice, LostInTheMidstIsAnErrorThatNamesTheCall) {
  if (on_a_real_device()) GTEST_SKIP() << "a real device is not broken for a test";
  const StandIn stand_in;
  const CudaDevice::Current current(test_device());
  const CudaStream stream(test_device());
  stand_in.fail("cuStreamSynchronize", 0, 719);
  const std::string message = refusal(ErrorCode::io, [&] { stream.wait(); });
  EXPECT_NE(message.find("cuStreamSynchronize"), std::string::npos) << message;
  EXPECT_NE(message.find("CUDA_ERROR_LAUNCH_FAILED"), std::string::npos) << message;
  EXPECT_NE(message.find("CUBOID_DEVICE=none"), std::string::npos) << message;
  stand_in.recover();
}

TEST(CublasLibrary, OtherLibrariesAreRefused) {
  const std::string message = refusal(
      ErrorCode::unsupported, [] { CublasLibrary::open("libm.so.6", test_device().driver()); });
  EXPECT_NE(message.find("CUBOID_CUBLAS"), std::string::npos) << message;
}

}  // namespace cuda_test
}  // namespace cuboid::detail
