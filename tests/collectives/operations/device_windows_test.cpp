// Windows whose memory lies on devices, and puts and gets of device memory.
#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/window.hpp>

#include "devices/memory/copy_memory.hpp"
#include "tests/collectives/on_ranks.hpp"
#include "tests/devices/a_device.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace device_windows_test {

constexpr std::size_t numbers = 1000;
constexpr std::size_t block = numbers * sizeof(double);

enum class Where { host, device, both };

bool is_on_device(Where where, int rank) {
  return where == Where::device || (where == Where::both && rank % 2 == 0);
}

/// A rank's memory in one of both places.
class Numbers {
 public:
  Numbers(bool on_device, double value) : host_(numbers, value) {
    if (on_device) device_.emplace(host_);
  }
  std::span<std::byte> bytes() {
    return std::as_writable_bytes(std::span(device_ ? device_->data() : host_.data(), numbers));
  }
  std::vector<double> read() const { return device_ ? device_->read() : host_; }

 private:
  std::vector<double> host_;
  std::optional<DeviceArray<double>> device_;
};

double value_of(int from, int to) {
  return 100.0 * from + to;
}

/// Every rank puts a block to every rank, and gets the blocks of its own window's neighbours.
void exchange(const Communicator& communicator, Where window_is, Where mine_is, int devices) {
  const int rank = communicator.rank(), size = communicator.size();
  const bool there = is_on_device(window_is, rank), here = is_on_device(mine_is, size - rank);
  Window window(communicator, block * static_cast<std::size_t>(size),
                there ? std::optional(rank % devices) : std::nullopt);
  const auto place = [](int of) { return block * static_cast<std::size_t>(of); };
  std::vector<std::unique_ptr<Numbers>> sent, received;
  for (int peer = 0; peer < size; ++peer) {
    sent.push_back(std::make_unique<Numbers>(here, value_of(rank, peer)));
    window.put(sent.back()->bytes(), peer, place(rank));
  }
  window.fence();
  for (int peer = 0; peer < size; ++peer) {
    std::vector<double> mine(numbers);
    copy_memory(window.local().data() + place(peer), mine.data(), block);
    ASSERT_EQ(mine, std::vector<double>(numbers, value_of(peer, rank)));
  }
  std::vector<Window::GetNumber> gets;
  for (int peer = 0; peer < size; ++peer) {
    received.push_back(std::make_unique<Numbers>(here, -1));
    gets.push_back(window.get(received.back()->bytes(), peer, place(size - 1 - rank)));
  }
  for (int peer = size; peer-- > 0;) {
    window.wait(gets[static_cast<std::size_t>(peer)]);
    ASSERT_EQ(received[static_cast<std::size_t>(peer)]->read(),
              std::vector<double>(numbers, value_of(size - 1 - rank, peer)));
  }
  Numbers last(here, -1);
  window.get(last.bytes(), size - 1, 0);
  window.flush();
  ASSERT_EQ(last.read(), std::vector<double>(numbers, value_of(0, size - 1)));
}

TEST(DeviceWindows, MoveWhatLiesAnywhere) {
  const StandIn stand_in;
  const int devices = test_device().driver().devices();
  for (const char* const mode : {"late", "early"}) {
    stand_in.streams(mode);
    // Without a way between devices, the owner serves the memory.
    for (const char* const missing : {"", "peers"}) {
      stand_in.without(missing);
      for (const int ranks : {1, 2, 3, 5, 8}) {
        run_ranks(
            ranks,
            [&](Communicator& communicator) {
              for (const Where window : {Where::host, Where::device, Where::both})
                for (const Where mine : {Where::host, Where::device, Where::both})
                  exchange(communicator, window, mine, devices);
            },
            device_environment());
      }
    }
  }
}

TEST(DeviceWindows, ShareTheirMemoryWithinANode) {
  const StandIn stand_in;
  run_ranks(
      3,
      [&](Communicator& communicator) {
        Window window(communicator, 64, 0);
        for (int peer = 0; peer < 3; ++peer) EXPECT_EQ(window.direct(peer).size(), 64U);
        const int zero = 0;
        int found = 1;
        copy_memory(window.direct(1).data(), &found, sizeof found);
        EXPECT_EQ(found, zero);
        window.fence();
      },
      device_environment());
}

TEST(DeviceWindows, AreErrorsOnAllRanksWhereOneHasNoDevice) {
  const StandIn stand_in;
  run_ranks(
      3,
      [&](Communicator& communicator) {
        require_error(
            [&] { Window(communicator, 64, communicator.rank() == 1 ? std::optional(77) : 0); },
            ErrorCode::invalid_argument, {"77"});
        require_error(
            [&] { Window(communicator, communicator.rank() == 2 ? std::size_t{1} << 40 : 64, 0); },
            ErrorCode::out_of_memory, {});
        const DeviceArray<double> there(std::vector<double>(4));
        Window window(communicator, 100);
        const std::span<std::byte> beyond(reinterpret_cast<std::byte*>(there.data()), 40);
        require_error([&] { window.put(beyond, 0, 0); }, ErrorCode::invalid_argument,
                      {"window put", "40 bytes", "allocation"});
      },
      device_environment());
}

}  // namespace device_windows_test
}  // namespace cuboid::detail
