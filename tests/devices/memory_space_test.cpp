#include "devices/memory/memory_space.hpp"

#include <cuboid/error.hpp>

#include "devices/memory/own_pages.hpp"
#include "tests/devices/a_device.hpp"

#include <memory>

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

TEST(PinForNow, MemoryIsSharedByThoseWhoAskForIt) {
  const CudaDevice& device = test_device();
  std::vector<double> values(1 << 16);
  auto all = pin_for_now(device, values.data(), values.size() * sizeof(double));
  ASSERT_NE(all, nullptr);
  const auto part = pin_for_now(device, values.data() + 100, 800);
  EXPECT_EQ(part, all);
  all.reset();
  EXPECT_EQ(memory_space_of(values.data() + 100).kind, MemoryKind::pinned);
}

TEST(PinForNow, NothingStaysPinned) {
  const CudaDevice& device = test_device();
  const std::vector<double> values(1 << 16);
  for (int repeat = 0; repeat < 2; ++repeat) {
    EXPECT_NE(pin_for_now(device, values.data(), 4096), nullptr);
    EXPECT_EQ(memory_space_of(values.data()).kind, MemoryKind::host);
  }
  const DeviceArray<double> there(values);
  EXPECT_EQ(pin_for_now(device, there.data(), 4096), nullptr);
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
