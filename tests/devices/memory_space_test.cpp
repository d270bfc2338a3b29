#include "devices/memory/memory_space.hpp"

#include <cuboid/error.hpp>

#include "devices/memory/own_pages.hpp"
#include "tests/devices/a_device.hpp"

#include <array>
#include <atomic>
#include <barrier>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace memory_space_test {

TEST(MemorySpace, EveryKindIsFound) {
  const CudaDevice& device = test_device();
  const CudaDevice::Current current(device);
  std::vector<double> pageable(10000);
  EXPECT_EQ(memory_space_of(pageable.data()).kind, MemoryKind::host);
  EXPECT_EQ(memory_space_of(nullptr).kind, MemoryKind::host);
  {
    const auto pages = PinnedPages::of(device, pageable.data(), 80000);
    ASSERT_NE(pages, nullptr);
    EXPECT_EQ(memory_space_of(pageable.data() + 9999).kind, MemoryKind::pinned);
  }
  EXPECT_EQ(memory_space_of(pageable.data()).kind, MemoryKind::host);

  const DeviceArray<double> there(pageable);
  EXPECT_EQ(memory_space_of(there.data() + 5), (MemorySpace{MemoryKind::device, 0}));
  EXPECT_FALSE(memory_space_of(there.data()).on_host());

  using Allocate = CuResult(CuPointer*, std::size_t, unsigned);
  const SharedLibrary driver(device.driver().path(), Symbols::programs);
  CuPointer managed = 0;
  constexpr unsigned attach_global = 1;
  ASSERT_EQ(driver.find<Allocate>("cuMemAllocManaged")(&managed, 4096, attach_global), 0);
  EXPECT_EQ(memory_space_of(reinterpret_cast<void*>(managed)).kind, MemoryKind::managed);
  device.call().free(managed);
}

TEST(MemorySpace, FreedMemoryIsNoDevices) {
  const double* freed = nullptr;
  {
    const DeviceArray<double> there(std::vector<double>(100));
    freed = there.data();
    EXPECT_EQ(memory_space_of(freed).kind, MemoryKind::device);
  }
  if (!on_a_real_device()) {
    EXPECT_EQ(memory_space_of(freed).kind, MemoryKind::host);
  }
}

TEST(MemorySpace, ReachingBeyondAnAllocationNamesBoth) {
  const DeviceArray<double> there(std::vector<double>(1 << 20));
  check_allocation(there.data(), sizeof(double) << 20, "A");
  check_allocation(there.data() + 4, sizeof(double) * 100, "A");
  try {
    check_allocation(there.data() + 4, sizeof(double) << 20, "A");
    ADD_FAILURE() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    const std::string message = error.what();
    EXPECT_NE(message.find("A: 8388608 bytes"), std::string::npos) << message;
    EXPECT_NE(message.find("device 0, of 8388608 bytes"), std::string::npos) << message;
  }
}

MemoryRange range_of(const std::vector<double>& values, std::size_t first, std::size_t count) {
  return {values.data() + first, count * sizeof(double)};
}

TEST(MemorySpace, ALostDevicesMemoryIsNotTheHosts) {
  if (on_a_real_device()) GTEST_SKIP() << "a real device is not broken for a test";
  const DeviceArray<double> there(std::vector<double>(100));
  const double here = 1;
  const StandIn stand_in;
  stand_in.fail("cuPointerGetAttributes", 0, 719);
  EXPECT_EQ(memory_space_of(&here).kind, MemoryKind::host);
  try {
    memory_space_of(there.data());
    ADD_FAILURE() << "the host would read it";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_NE(std::string(error.what()).find("CUDA_ERROR_LAUNCH_FAILED"), std::string::npos)
        << error.what();
  }
}

TEST(CopiedMemory, IsPinnedUntilItsLastUserEnds) {
  const CudaDevice& device = test_device();
  const std::vector<double> values(1 << 16);
  const auto kind = [&] { return memory_space_of(values.data() + 100).kind; };
  for (int repeat = 0; repeat < 2; ++repeat) {
    EXPECT_EQ(kind(), MemoryKind::host);
    std::optional<CopiedMemory> all(std::in_place, device,
                                    std::array{range_of(values, 0, values.size())}, true);
    EXPECT_EQ(kind(), MemoryKind::pinned);
    const CopiedMemory part(device, std::array{range_of(values, 100, 100)}, true);
    all.reset();
    EXPECT_EQ(kind(), MemoryKind::pinned);
  }
  const CopiedMemory unpinned(device, std::array{range_of(values, 0, values.size())}, false);
  EXPECT_EQ(kind(), MemoryKind::host);
  const DeviceArray<double> there(values);
  const CopiedMemory no_pages(device, std::array{MemoryRange{there.data(), 4096}}, true);
  EXPECT_EQ(memory_space_of(there.data()).kind, MemoryKind::device);
}

/// True if a device copies all of a range.
bool is_copied(const CudaDevice& device, MemoryRange range) {
  const CudaDevice::Current current(device);
  const CudaStream stream(device);
  const DeviceMemory there(device, range.bytes);
  try {
    stream.copy(range.data, there.data(), range.bytes);
    stream.wait();
    return true;
  } catch (const Error&) {
    return false;
  }
}

TEST(CopiedMemory, BlocksOfOneMatrixAreCopied) {
  const CudaDevice& device = test_device();
  const std::vector<double> matrix(1 << 16);
  // Blocks that lie between each other's columns, and one that ends within a page of the next.
  const std::array blocks{range_of(matrix, 3000, 40000), range_of(matrix, 100, 30000),
                          range_of(matrix, 43010, 20000)};
  for (const bool pin : {false, true}) {
    const CopiedMemory copied(device, blocks, pin);
    for (const MemoryRange& block : blocks) EXPECT_TRUE(is_copied(device, block)) << pin;
    EXPECT_EQ(memory_space_of(matrix.data() + 60000).kind,
              pin ? MemoryKind::pinned : MemoryKind::host);
  }
}

TEST(CopiedMemory, ThreadsAgreeOnPartsOfOneArray) {
  const CudaDevice& device = test_device();
  const std::vector<double> array(1 << 16);
  std::vector<std::thread> threads;
  std::atomic<std::size_t> copied_parts = 0;
  std::barrier together(4);
  constexpr std::size_t repeats = 50;
  for (std::size_t thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
        together.arrive_and_wait();
        const MemoryRange part = range_of(array, 9000 * thread, 20000);
        const CopiedMemory copied(device, std::array{part}, (thread + repeat) % 3 != 0);
        std::this_thread::yield();
        if (is_copied(device, part)) ++copied_parts;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(copied_parts, 4 * repeats);
}

TEST(OwnPages, ArePinnedOnceUntilTheyAreForgotten) {
  const CudaDevice& device = test_device();
  constexpr std::size_t bytes = std::size_t{1} << 20;
  const std::unique_ptr<std::byte[]> pages(new std::byte[bytes]);
  EXPECT_FALSE(are_own_pages(pages.get()));
  EXPECT_FALSE(pin_own_pages(device, pages.get()));
  note_own_pages(pages.get(), bytes);
  EXPECT_TRUE(are_own_pages(pages.get() + bytes - 1));
  EXPECT_FALSE(are_own_pages(pages.get() + bytes));
  EXPECT_EQ(memory_space_of(pages.get()).kind, MemoryKind::host);
  EXPECT_TRUE(pin_own_pages(device, pages.get() + 100));
  EXPECT_TRUE(pin_own_pages(device, pages.get() + 200));
  EXPECT_EQ(memory_space_of(pages.get()).kind, MemoryKind::pinned);
  forget_own_pages(pages.get());
  EXPECT_EQ(memory_space_of(pages.get()).kind, MemoryKind::host);
  EXPECT_FALSE(pin_own_pages(device, pages.get()));
}

}  // namespace memory_space_test
}  // namespace cuboid::detail
