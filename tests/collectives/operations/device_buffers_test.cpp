// Every operation on buffers in a device's memory: which of the ranks' buffers lie there differs,
// and the device's streams run as late as they may, or early in random order.

#include <cuboid/neighbourhood.hpp>

#include "devices/memory/memory_space.hpp"
#include "devices/memory/pinned_block.hpp"
#include "tests/collectives/operations/calls.hpp"
#include "tests/devices/a_device.hpp"

#include <cstdint>
#include <optional>

namespace cuboid::detail {
namespace device_buffers_test {

/// Elements in a device's memory.
class OnDevice : public ElementMemory {
 public:
  explicit OnDevice(std::span<const std::byte> content)
      : elements_(std::vector<std::byte>(content.begin(), content.end())) {}
  void* data() override { return elements_.data(); }
  void read(void* to) override {
    const std::vector<std::byte> content = elements_.read();
    std::memcpy(to, content.data(), content.size());
  }

 private:
  DeviceArray<std::byte> elements_;
};

/// Elements in memory of both, which the host must not touch before the default stream is done.
class Managed : public ElementMemory {
 public:
  explicit Managed(std::span<const std::byte> content) {
    using Allocate = CuResult(CuPointer*, std::size_t, unsigned);
    constexpr unsigned attach_global = 1;
    const CudaDevice::Current current(test_device());
    const SharedLibrary driver(test_device().driver().path(), Symbols::programs);
    bytes_ = content.size();
    test_device().check(
        driver.find<Allocate>("cuMemAllocManaged")(&pointer_, bytes_, attach_global),
        "cuMemAllocManaged");
    std::memcpy(data(), content.data(), bytes_);
  }
  ~Managed() override {
    test_device().release([this] { test_device().call().free(pointer_); });
  }
  Managed(const Managed&) = delete;
  Managed& operator=(const Managed&) = delete;
  void* data() override { return reinterpret_cast<void*>(pointer_); }
  void read(void* to) override { std::memcpy(to, data(), bytes_); }

 private:
  CuPointer pointer_ = 0;
  std::size_t bytes_ = 0;
};

enum class Where { everywhere, on_odd_ranks, every_other_buffer, managed };

void put_elements(Where where, int rank) {
  element_memory =
      [where, rank,
       buffers = 0](std::span<const std::byte> content) mutable -> std::unique_ptr<ElementMemory> {
    if (where == Where::managed) return std::make_unique<Managed>(content);
    const bool here = where == Where::everywhere ||
                      (where == Where::on_odd_ranks && rank % 2 == 1) ||
                      (where == Where::every_other_buffer && (buffers++ + rank) % 2 == 0);
    if (!here) return nullptr;
    return std::make_unique<OnDevice>(content);
  };
}

/// Runs `body` with every choice of memories, mode of streams and number of ranks.
void on_devices(const std::function<void(Communicator&)>& body,
                std::initializer_list<int> sizes = {1, 2, 3, 5, 8}) {
  test_device();  // so that the process uses a device
  const StandIn stand_in;
  for (const char* streams : {"late", "early"}) {
    for (const Where where :
         {Where::everywhere, Where::on_odd_ranks, Where::every_other_buffer, Where::managed}) {
      SCOPED_TRACE(fmt::format("streams {}, memory {}", streams, static_cast<int>(where)));
      stand_in.streams(streams);
      on_worlds(
          [&](Communicator& c) {
            put_elements(where, c.rank());
            body(c);
            element_memory = {};
          },
          sizes);
    }
  }
}

template <class T>
void check_all(const Communicator& c, std::size_t count, InPlace in_place) {
  const Reduction sum = Reduction::Kind::sum;
  const int root = static_cast<int>(count) % c.size();
  const auto blocks = BlockLayout::uneven(c.size(), count, 3);
  check_broadcast<T>(c, count, root, 1);
  check_reduce<T>(c, count, root, sum, in_place, 2);
  check_allreduce<T>(c, count, sum, in_place, 3);
  check_scan<T>(c, count, sum, in_place, 4);
  check_exscan<T>(c, count, sum, in_place, 5);
  check_allgather<T>(c, count, in_place, 6);
  check_allgatherv<T>(c, blocks, in_place, 7);
  check_gather<T>(c, count, root, in_place, 8);
  check_gatherv<T>(c, blocks, root, in_place, 9);
  check_scatter<T>(c, count, root, in_place, 10);
  check_scatterv<T>(c, blocks, root, in_place, 11);
  check_reduce_scatter<T>(c, count, sum, in_place, 12);
  check_reduce_scatterv<T>(c, BlockLayout::uneven(c.size(), count, 0), sum, in_place, 13);
  if (in_place == InPlace::yes) return;
  check_alltoall<T>(c, count, 14);
  check_alltoallv<T>(c, count, 2, 15);
}

TEST(DeviceBuffers, EveryOperationInEveryPlace) {
  on_devices([](Communicator& c) {
    for (const InPlace in_place : {InPlace::no, InPlace::yes}) {
      check_all<double>(c, 5, in_place);
      check_all<std::int32_t>(c, 3000, in_place);
    }
  });
}

TEST(DeviceBuffers, MoreTypes) {
  on_devices(
      [](Communicator& c) {
        check_all<Float16>(c, 7, InPlace::no);
        check_all<BFloat16>(c, 7, InPlace::yes);
        check_all<std::complex<float>>(c, 7, InPlace::no);
        check_all<std::int8_t>(c, 7, InPlace::yes);
      },
      {3});
}

TEST(DeviceBuffers, LongMessagesAndNone) {
  on_devices(
      [](Communicator& c) {
        check_allreduce<double>(c, 200003, Reduction::Kind::sum, InPlace::no, 1);
        check_broadcast<double>(c, 200003, 0, 2);
        check_allreduce<double>(c, 0, Reduction::Kind::sum, InPlace::no, 3);
      },
      {2, 5});
}

TEST(DeviceBuffers, UsersReductionsRunOnTheHost) {
  on_devices(
      [](Communicator& c) {
        const auto keep_greater = [](const void* left, const void* right, void* result,
                                     std::size_t count) {
          for (std::size_t i = 0; i < count; ++i) {
            static_cast<double*>(result)[i] =
                std::max(static_cast<const double*>(left)[i], static_cast<const double*>(right)[i]);
          }
        };
        check_allreduce<double>(c, 50, Reduction::user(keep_greater, Commutative::yes), InPlace::no,
                                1);
      },
      {3});
}

TEST(DeviceBuffers, MessagesAndNeighbours) {
  on_devices(
      [](Communicator& c) {
        const int next = (c.rank() + 1) % c.size(), previous = (c.rank() + c.size() - 1) % c.size();
        for (const std::size_t count : {1, 1000, 50000}) {
          Guarded<double> sent(pattern<double>(c.rank(), count, 5)), arrived(count);
          exchange(c, sent.span(), next, arrived.span(), previous);
          arrived.require_equal(pattern<double>(previous, count, 5), "an exchange");
        }
        Guarded<double> mine(pattern<double>(c.rank(), 10, 6)), theirs(10);
        const std::array from{previous}, to{next};
        neighbour_allgather(c, Neighbourhood::graph(from, to), mine.span(), theirs.span());
        theirs.require_equal(pattern<double>(previous, 10, 6), "neighbours");
      },
      {1, 3});
}

TEST(DeviceBuffers, StartedAndPlanned) {
  on_devices(
      [](Communicator& c) {
        const auto mine = contribution<double>(c.rank(), 100, 1);
        const auto all = combined<double>(c.size(), 100, 1, Reduction::Kind::sum);
        Guarded<double> one(mine), two(mine), sum_of_one(100), sum_of_two(100);
        Request first = start_allreduce(c, one.span(), sum_of_one.span(), Reduction::Kind::sum);
        Request second = start_allreduce(c, two.span(), sum_of_two.span(), Reduction::Kind::sum);
        second.wait();
        while (!first.test()) {
        }
        sum_of_one.require_equal(all, "the first");
        sum_of_two.require_equal(all, "the second");

        Guarded<double> again(100);
        CollectivePlan plan = plan_allreduce(c, one.span(), again.span(), Reduction::Kind::sum);
        plan.run();
        plan.start().wait();
        again.require_equal(all, "a plan");
        Guarded<double> other(100);
        plan.rebind(two.span().data(), other.span().data());
        plan.run();
        other.require_equal(all, "a plan with other buffers");
      },
      {1, 3});
}

/// Numbers of the host in pinned memory, so that copies run as late as their stream.
class PinnedNumbers {
 public:
  explicit PinnedNumbers(std::vector<double> values)
      : values_(std::move(values)),
        pages_(PinnedPages::of(test_device(), values_.data(), bytes())) {}
  MemoryLines lines() { return {values_.data(), bytes(), false}; }
  std::size_t bytes() const { return values_.size() * sizeof(double); }
  const std::vector<double>& values() const { return values_; }

 private:
  std::vector<double> values_;
  std::unique_ptr<PinnedPages> pages_;
};

TEST(DeviceBuffers, WaitForTheDefaultStream) {
  const StandIn stand_in;
  stand_in.streams("late");
  on_worlds(
      [](Communicator& c) {
        const CudaDevice::Current current(test_device());
        PinnedNumbers mine(contribution<double>(c.rank(), 64, 1));
        const DeviceArray<double> input(std::vector<double>(64)), output(std::vector<double>(64));
        CuCopy2d copy;
        copy.source_kind = cu::host_memory;
        copy.source_host = mine.lines().data;
        copy.target_kind = cu::device_memory;
        copy.target_device = reinterpret_cast<CuPointer>(input.data());
        copy.source_pitch = copy.target_pitch = copy.width = mine.bytes();
        copy.height = 1;
        test_device().check(test_device().call().copy_2d(&copy, nullptr), "cuMemcpy2DAsync");
        allreduce(c, std::span(input.data(), 64), std::span(output.data(), 64),
                  Reduction::Kind::sum);
        require(output.read() == combined<double>(c.size(), 64, 1, Reduction::Kind::sum),
                "the input was read before it was written");
      },
      {1, 3});
}

TEST(DeviceBuffers, BeginAndEndOnAStream) {
  const StandIn stand_in;
  for (const char* mode : {"late", "early"}) {
    stand_in.streams(mode);
    on_worlds(
        [](Communicator& c) {
          const CudaDevice::Current current(test_device());
          PinnedNumbers mine(contribution<double>(c.rank(), 64, 1));
          PinnedNumbers result(std::vector<double>(64));
          const DeviceArray<double> input(std::vector<double>(64)), output(std::vector<double>(64));
          const MemoryLines in{input.data(), mine.bytes(), true};
          const MemoryLines out{output.data(), mine.bytes(), true};
          const CudaStream stream(test_device());
          stream.copy(mine.lines(), in, mine.bytes(), 1);
          Request request =
              start_allreduce(c, std::span(input.data(), 64), std::span(output.data(), 64),
                              Reduction::Kind::sum, on(stream.get()));
          request.wait(on(stream.get()));
          stream.copy(out, result.lines(), mine.bytes(), 1);
          stream.wait();
          require(result.values() == combined<double>(c.size(), 64, 1, Reduction::Kind::sum),
                  "the stream did not wait");
        },
        {1, 2, 5});
  }
}

TEST(DeviceBuffers, PinnedMemoryIsUsedAgain) {
  if (on_a_real_device()) GTEST_SKIP() << "only the stand-in counts";
  test_device();
  const StandIn stand_in;
  const auto run = [] {
    run_ranks(3, [](Communicator& c) {
      put_elements(Where::everywhere, c.rank());
      for (int repeat = 0; repeat < 20; ++repeat)
        check_allreduce<double>(c, 30000, Reduction::Kind::sum, InPlace::no, 1);
      element_memory = {};
    });
  };
  run();
  const std::int64_t pinned = stand_in.counts().pinned;
  EXPECT_GT(pinned, 0);
  for (int repeat = 0; repeat < 3; ++repeat) run();
  EXPECT_LE(stand_in.counts().pinned, std::max<std::int64_t>(pinned, 6 * 4 * 65536));
  EXPECT_LE(stand_in.counts().pinned, static_cast<std::int64_t>(PinnedBlock::most_kept));
}

TEST(DeviceBuffers, LengthsBeyondAnAllocationNameBoth) {
  run_ranks(1, [](Communicator& c) {
    const DeviceArray<double> there(std::vector<double>(100));
    std::vector<double> output(100);
    const auto beyond = [&] {
      allreduce(c, std::span(there.data() + 50, 100), output, Reduction::Kind::sum);
    };
    require_error(beyond, ErrorCode::invalid_argument,
                  {"rank 0", "allreduce of 800 bytes", "input", "800 bytes from",
                   "allocation on device 0, of 800 bytes"});
    allreduce(c, std::span(there.data(), 100), output, Reduction::Kind::sum);
  });
}

TEST(DeviceBuffers, FreedAllocationsAreNamed) {
  if (on_a_real_device()) GTEST_SKIP() << "CUDA may keep the pages";
  run_ranks(1, [](Communicator& c) {
    std::optional<DeviceArray<double>> there(std::in_place, std::vector<double>(1 << 20));
    double* const freed = there->data();
    std::vector<double> output(100);
    there.reset();
    const auto use = [&] { allreduce(c, std::span(freed, 100), output, Reduction::Kind::sum); };
    require_error(use, ErrorCode::invalid_argument,
                  {"input", "800 bytes", fmt::format("{}", static_cast<void*>(freed)), "freed"});
  });
}

TEST(DeviceBuffers, ALostDeviceEndsTheCollective) {
  if (on_a_real_device()) GTEST_SKIP() << "a real device is not broken for a test";
  const StandIn stand_in;
  stand_in.streams("late");
  run_ranks(1, [&](Communicator& c) {
    const DeviceArray<double> there(std::vector<double>(100));
    std::vector<double> output(100);
    stand_in.fail("cuEventQuery", 0, 719);
    const auto use = [&] {
      allreduce(c, std::span(there.data(), 100), output, Reduction::Kind::sum);
    };
    require_error(use, ErrorCode::io, {"rank 0", "device 0", "cuEventQuery"});
    stand_in.recover();
  });
}

TEST(DeviceBuffers, WindowsSayThatTheyReadTheHostsMemory) {
  on_worlds(
      [](Communicator& c) {
        const DeviceArray<std::byte> there(std::vector<std::byte>(100));
        Window window(c, 100);
        const std::span<std::byte> elements(there.data(), 100);
        require_error([&] { window.put(elements, 0, 0); }, ErrorCode::unsupported,
                      {"window put", "100 bytes", "device 0"});
        require_error([&] { static_cast<void>(window.get(elements, 0, 0)); },
                      ErrorCode::unsupported, {"window get", "device 0"});
      },
      {2});
}

}  // namespace device_buffers_test
}  // namespace cuboid::detail
