// Every operation on buffers in a device's memory: which of the ranks' buffers lie there differs,
// and the device's streams run as late as they may, or early in random order.

#include <cuboid/neighbourhood.hpp>

#include "collectives/communicator/communicator_state.hpp"
#include "collectives/engine/direct_run.hpp"
#include "devices/memory/memory_space.hpp"
#include "devices/memory/pinned_block.hpp"
#include "tests/collectives/operations/calls.hpp"
#include "tests/devices/a_device.hpp"

#include <atomic>
#include <chrono>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <thread>

namespace cuboid::detail {
namespace device_buffers_test {

/// Before the stand-in is loaded: it has two devices.
[[maybe_unused]] const int two_devices = setenv("STAND_IN_CUDA_DEVICES", "2", 1);

/// Runs `body` on worlds of these sizes whose ranks find the stand-in's compiler of kernels.
void on_device_worlds(const std::function<void(Communicator&)>& body,
                      std::initializer_list<int> sizes) {
  for (const int ranks : sizes) {
    try {
      run_ranks(ranks, body, device_environment());
    } catch (const std::exception& error) {
      ADD_FAILURE() << ranks << " ranks: " << error.what();
    }
  }
}

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

/// Elements in pinned memory of the host, which devices copy as late as their streams run.
class Pinned : public ElementMemory {
 public:
  explicit Pinned(std::span<const std::byte> content)
      : pages_((content.size() + page_bytes - 1) / page_bytes),
        pinned_(PinnedPages::of(test_device(), pages_.data(), pages_.size() * page_bytes)) {
    if (pinned_ == nullptr) ADD_FAILURE() << "the memory cannot be pinned";
    std::ranges::copy(content, bytes());
    bytes_ = content.size();
  }
  void* data() override { return bytes(); }
  void read(void* to) override { std::copy_n(bytes(), bytes_, static_cast<std::byte*>(to)); }

 private:
  static constexpr std::size_t page_bytes = 4096;
  struct alignas(page_bytes) Page {
    std::array<std::byte, page_bytes> bytes;
  };
  std::byte* bytes() { return reinterpret_cast<std::byte*>(pages_.data()); }

  std::vector<Page> pages_;
  std::unique_ptr<PinnedPages> pinned_;
  std::size_t bytes_ = 0;
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

enum class Where { everywhere, on_odd_ranks, every_other_buffer, inputs, managed };

void put_elements(Where where, int rank) {
  element_memory =
      [where, rank,
       buffers = 0](std::span<const std::byte> content) mutable -> std::unique_ptr<ElementMemory> {
    const int buffer = buffers++;
    if (where == Where::managed) return std::make_unique<Managed>(content);
    if (where == Where::inputs && buffer % 2 == 1) return std::make_unique<Pinned>(content);
    const bool here = where == Where::everywhere || where == Where::inputs ||
                      (where == Where::on_odd_ranks && rank % 2 == 1) ||
                      (where == Where::every_other_buffer && (buffer + rank) % 2 == 0);
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
    for (const Where where : {Where::everywhere, Where::on_odd_ranks, Where::every_other_buffer,
                              Where::inputs, Where::managed}) {
      SCOPED_TRACE(fmt::format("streams {}, memory {}", streams, static_cast<int>(where)));
      stand_in.streams(streams);
      on_device_worlds(
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

TEST(DeviceBuffers, SeveralBatches) {
  on_devices(
      [](Communicator& c) {
        constexpr std::size_t count = 300'007;  // 2.4 MB
        const auto sum = Reduction::Kind::sum;
        const Communicator named =
            c.with_algorithms("allreduce:ring,broadcast:chain,allgather:ring,alltoall:direct");
        check_allreduce<double>(named, count, sum, InPlace::no, 1);
        check_allreduce<double>(named, count, sum, InPlace::yes, 2);
        check_allreduce<double>(c, count, sum, InPlace::yes, 3);
        check_broadcast<double>(named, count, 0, 4);
        check_allgather<double>(named, count / 2, InPlace::no, 5);
        check_allgather<double>(named, count / 2, InPlace::yes, 6);
        check_alltoall<double>(named, count / 2, 7);
      },
      {3});
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
  on_device_worlds(
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
    on_device_worlds(
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

TEST(DeviceBuffers, HostBuffersComeAfterTheDefaultStreamOfTheThreadsContext) {
  const CudaDriver& driver = test_device().driver();
  if (driver.devices() < 2) GTEST_SKIP() << "needs two devices";
  const CudaDevice& second = CudaDevice::at(driver, 1);
  const StandIn stand_in;
  stand_in.streams("late");
  run_ranks(
      1,
      [&](Communicator& c) {
        const CudaDevice::Current current(second);
        const CudaStream stream(second);
        const DeviceMemory there(second, 64 * sizeof(double));
        stream.clear({there.data(), 0, true}, there.bytes(), 1);
        stream.wait();
        PinnedNumbers input(std::vector<double>(64, 7));
        std::vector<double> output(64, 7);
        second.check(
            second.call().copy(reinterpret_cast<CuPointer>(input.lines().data),
                               reinterpret_cast<CuPointer>(there.data()), there.bytes(), nullptr),
            "cuMemcpyAsync");
        start_allreduce(c, std::span(input.values()), std::span(output), Reduction::Kind::sum,
                        on(nullptr))
            .wait();
        require(output == std::vector<double>(64), "the default stream had not written the input");
      },
      device_environment());
}

TEST(DeviceBuffers, PinnedMemoryIsUsedAgain) {
  if (on_a_real_device()) GTEST_SKIP() << "only the stand-in counts";
  test_device();
  const StandIn stand_in;
  const auto run = [] {
    run_ranks(
        3,
        [](Communicator& c) {
          put_elements(Where::on_odd_ranks, c.rank());
          for (int repeat = 0; repeat < 20; ++repeat)
            check_allreduce<double>(c, 30000, Reduction::Kind::sum, InPlace::no, 1);
          element_memory = {};
        },
        device_environment());
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

/// Two arrays of a rank on a device.
struct TwoArrays {
  explicit TwoArrays(std::size_t count, const CudaDevice& device = test_device())
      : input(std::vector<double>(count), device), output(std::vector<double>(count), device) {}
  std::span<double> in(std::size_t count) const { return {input.data(), count}; }
  std::span<double> out(std::size_t count) const { return {output.data(), count}; }
  DeviceArray<double> input, output;
};

std::int64_t bytes_through_host(const StandIn& stand_in) {
  return stand_in.counts().bytes_up + stand_in.counts().bytes_down;
}

/// The bytes that `call` of all ranks moves between the device and the host.
std::int64_t bytes_through_host(Communicator& c, const StandIn& stand_in,
                                const std::function<void()>& call) {
  barrier(c);
  const std::int64_t before = bytes_through_host(stand_in);
  barrier(c);
  call();
  barrier(c);
  const std::int64_t after = bytes_through_host(stand_in);
  barrier(c);
  return after - before;
}

/// By rank, the bytes that this one has sent to it, and received from it.
std::vector<std::uint64_t> bytes_with_others(const Communicator& c) {
  std::vector<std::uint64_t> bytes;
  for (int peer = 0; peer < c.size(); ++peer) {
    bytes.push_back(c.traffic(peer).bytes_sent);
    bytes.push_back(c.traffic(peer).bytes_received);
  }
  return bytes;
}

void require_direct(Communicator& c, const StandIn& stand_in, std::size_t count) {
  const auto ranks = static_cast<std::size_t>(c.size());
  const TwoArrays arrays(ranks * count);
  const auto all_in = arrays.in(ranks * count), all_out = arrays.out(ranks * count);
  const auto in = arrays.in(count), out = arrays.out(count);
  const auto sum = Reduction::Kind::sum;
  const int root = c.size() - 1;
  const auto own = static_cast<std::size_t>(c.rank());
  const std::vector<std::pair<const char*, std::function<void()>>> calls{
      {"broadcast", [&] { broadcast(c, in, root); }},
      {"reduce", [&] { reduce(c, in, out, sum, root); }},
      {"allreduce", [&] { allreduce(c, in, out, sum); }},
      {"allreduce in place", [&] { allreduce(c, in, in, Reduction::Kind::average); }},
      {"scan", [&] { scan(c, in, out, sum); }},
      {"exscan", [&] { exscan(c, in, out, sum); }},
      {"allgather", [&] { allgather(c, in, all_out); }},
      {"allgather in place", [&] { allgather(c, all_out.subspan(own * count, count), all_out); }},
      {"reduce_scatter", [&] { reduce_scatter(c, all_in, out, sum); }},
      {"gather", [&] { gather(c, in, c.rank() == root ? all_out : std::span<double>(), root); }},
      {"scatter", [&] { scatter(c, c.rank() == root ? all_in : std::span<double>(), out, root); }},
      {"alltoall", [&] { alltoall(c, all_in, all_out); }},
      {"a plan", [&] {
         CollectivePlan plan = plan_allreduce(c, in, out, sum);
         plan.run();
         plan.start().wait();
       }}};
  for (const auto& [name, call] : calls) {
    const std::vector<std::uint64_t> before = bytes_with_others(c);
    const std::int64_t bytes = bytes_through_host(c, stand_in, call);
    require(bytes == 0, "{}: {} bytes went through the host", name, bytes);
    std::vector<std::uint64_t> mine = bytes_with_others(c);
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] -= before[i];
    std::vector<std::uint64_t> all(ranks * mine.size());
    allgather(c, std::span<const std::uint64_t>(mine), std::span(all));
    for (std::size_t i = 0; i < ranks; ++i) {
      for (std::size_t j = 0; j < ranks; ++j) {
        require(all[2 * (i * ranks + j)] == all[2 * (j * ranks + i) + 1],
                "{}: rank {} sent {} bytes to rank {}, which received {}", name, i,
                all[2 * (i * ranks + j)], j, all[2 * (j * ranks + i) + 1]);
      }
    }
    require(ranks == 1 || std::ranges::any_of(all, std::identity()), "{}: no traffic", name);
  }
}

TEST(DirectCollectives, NoByteGoesThroughTheHost) {
  if (on_a_real_device()) GTEST_SKIP() << "only the stand-in counts";
  test_device();
  const StandIn stand_in;
  for (const char* streams : {"late", "early"}) {
    stand_in.streams(streams);
    on_device_worlds([&](Communicator& c) { require_direct(c, stand_in, 1000); }, {1, 2, 3, 5, 8});
  }
}

std::uint64_t direct_runs(const Communicator& c) {
  return c.state().engine->device_access().runs;
}

/// Results in pinned memory of the host, contributions on the device.
TEST(DirectCollectives, PinnedMemoryTakesResultsStraightFromDevices) {
  test_device();
  const StandIn stand_in;
  stand_in.streams("late");
  on_device_worlds(
      [&](Communicator& c) {
        constexpr std::size_t count = 1000;
        const auto ranks = static_cast<std::size_t>(c.size());
        const auto bytes_of = [](std::size_t elements) { return elements * sizeof(double); };
        const int root = c.size() - 1;
        const std::vector<double> mine = contribution<double>(c.rank(), ranks * count, 1);
        const DeviceArray<double> input(mine);
        const auto in = std::span(input.data(), count),
                   all_in = std::span(input.data(), ranks * count);
        const std::vector<double> zeros(ranks * count);
        Pinned result(std::as_bytes(std::span(zeros)));
        const std::span all_out(static_cast<double*>(result.data()), ranks * count);
        const auto out = all_out.first(count);
        Pinned here(std::as_bytes(std::span(mine)));
        const std::span own(static_cast<double*>(here.data()), ranks * count);
        const std::vector<std::tuple<const char*, std::function<void()>, std::size_t>> calls{
            {"broadcast", [&] { broadcast(c, c.rank() == root ? in : out, root); },
             bytes_of((ranks - 1) * count)},
            {"allgather", [&] { allgather(c, in, all_out); }, bytes_of(ranks * ranks * count)},
            {"gather",
             [&] {
               c.rank() == root ? gather(c, own.first(count), all_out, root)
                                : gather(c, in, std::span<double>(), root);
             },
             bytes_of((ranks + 1) * count)},  // the root's own block counts twice
            {"alltoall", [&] { alltoall(c, all_in, all_out); }, bytes_of(ranks * ranks * count)}};
        for (const auto& [name, call, expected] : calls) {
          const std::uint64_t runs = direct_runs(c);
          const std::int64_t moved = bytes_through_host(c, stand_in, call);
          require(direct_runs(c) == runs + 1, "{}: staged", name);
          require(on_a_real_device() || moved == static_cast<std::int64_t>(expected),
                  "{}: {} bytes between host and device, not {}", name, moved, expected);
        }
        const std::vector<double> from_last = contribution<double>(root, ranks * count, 1);
        const auto block = static_cast<std::size_t>(c.rank()) * count;
        require(std::ranges::equal(all_out.last(count), std::span(from_last).subspan(block, count)),
                "the last rank's block is another one");
      },
      {1, 2, 5});
}

TEST(DirectCollectives, ANamedAlgorithmRunsOnTheHost) {
  test_device();
  on_device_worlds(
      [](Communicator& c) {
        const TwoArrays arrays(64);
        const std::uint64_t runs = direct_runs(c);
        const Communicator named = c.with_algorithms("allreduce:recursive_doubling");
        allreduce(named, arrays.in(64), arrays.out(64), Reduction::Kind::sum);
        require(direct_runs(c) == runs, "the algorithm did not run");
        allreduce(c, arrays.in(64), arrays.out(64), Reduction::Kind::sum);
        require(direct_runs(c) == runs + 1, "staged");
      },
      {2, 3});
}

TEST(DirectCollectives, PinnedMemoryAmongHostsIsStagedWithoutADevice) {
  test_device();
  const StandIn stand_in;
  on_device_worlds(
      [&](Communicator& c) {
        const std::vector<double> mine = contribution<double>(c.rank(), 1000, 1);
        Pinned buffer(std::as_bytes(std::span(mine)));
        const std::span numbers(static_cast<double*>(buffer.data()), 1000);
        const std::uint64_t runs = direct_runs(c);
        require(bytes_through_host(c, stand_in, [&] { broadcast(c, numbers, 0); }) == 0,
                "a device was used");
        require(direct_runs(c) == runs, "not staged");
        require(std::ranges::equal(numbers, contribution<double>(0, 1000, 1)), "other numbers");
      },
      {1, 2, 5});
}

TEST(DirectCollectives, ComplexNumbersLieAtTheAddressesOfTheirParts) {
  test_device();
  on_device_worlds(
      [](Communicator& c) {
        using Complex = std::complex<double>;
        const DeviceArray<double> input(std::vector<double>(21, c.rank() + 1)),
            output(std::vector<double>(21));
        const auto in_numbers = [](const DeviceArray<double>& of) {
          return std::span(reinterpret_cast<Complex*>(of.data() + 1), 10);
        };
        allreduce(c, in_numbers(input), in_numbers(output), Reduction::Kind::sum);
        std::vector<double> expected(21, c.size() * (c.size() + 1) / 2);
        expected.front() = 0;
        require(output.read() == expected, "another sum");
      },
      {2, 3});
}

/// Numbers in the memory of a device, allocated by cudaMalloc or cudaMallocAsync.
class NumbersOn {
 public:
  NumbersOn(const CudaDevice& device, bool of_pool, const std::vector<double>& values)
      : device_(device), stream_(device), bytes_(values.size() * sizeof(double)) {
    using Allocate = CuResult(CuPointer*, std::size_t, CuStream);
    const SharedLibrary driver(device.driver().path(), Symbols::programs);
    device.check(of_pool
                     ? driver.find<Allocate>("cuMemAllocAsync")(&pointer_, bytes_, stream_.get())
                     : device.call().allocate(&pointer_, bytes_),
                 "cuMemAlloc");
    stream_.copy(values.data(), data(), bytes_);
    stream_.wait();
  }
  ~NumbersOn() { device_.call().free(pointer_); }
  NumbersOn(const NumbersOn&) = delete;
  NumbersOn& operator=(const NumbersOn&) = delete;
  double* data() const { return reinterpret_cast<double*>(pointer_); }
  std::span<double> numbers() const { return {data(), bytes_ / sizeof(double)}; }
  std::vector<double> read() const {
    std::vector<double> values(numbers().size());
    stream_.copy(data(), values.data(), bytes_);
    stream_.wait();
    return values;
  }

 private:
  const CudaDevice& device_;
  CudaStream stream_;
  std::size_t bytes_;
  CuPointer pointer_ = 0;
};

TEST(DirectCollectives, DevicesReachEachOthersMemoryButThatOfPools) {
  const CudaDriver& driver = test_device().driver();
  if (driver.devices() < 2) GTEST_SKIP() << "needs two devices";
  const StandIn stand_in;
  Environment environment = device_environment();
  environment.log_level = LogLevel::error;
  for (const bool of_pool : {false, true}) {
    run_ranks(
        4,
        [&](Communicator& c) {
          const CudaDevice& device = CudaDevice::at(driver, c.rank() % 2);
          const CudaDevice::Current current(device);
          const NumbersOn input(device, of_pool, contribution<double>(c.rank(), 64, 1)),
              output(device, of_pool, std::vector<double>(64));
          const std::int64_t bytes = bytes_through_host(c, stand_in, [&] {
            allreduce(c, input.numbers(), output.numbers(), Reduction::Kind::sum);
          });
          require(output.read() == combined<double>(c.size(), 64, 1, Reduction::Kind::sum),
                  "another sum");
          require(on_a_real_device() || (bytes > 0) == of_pool, "{} bytes through the host", bytes);
        },
        environment);
  }
}

TEST(DirectCollectives, EveryOperationOfManyTypes) {
  test_device();
  const StandIn stand_in;
  stand_in.streams("late");
  on_device_worlds(
      [](Communicator& c) {
        using Kind = Reduction::Kind;
        put_elements(Where::everywhere, c.rank());
        const auto of_integers = [&]<class T>(T) {
          for (const Kind kind : {Kind::sum, Kind::product, Kind::minimum, Kind::maximum,
                                  Kind::logical_and, Kind::logical_or, Kind::logical_xor,
                                  Kind::bitwise_and, Kind::bitwise_or, Kind::bitwise_xor})
            check_allreduce<T>(c, 37, kind, InPlace::no, 1);
        };
        of_integers(std::int8_t{});
        of_integers(std::uint16_t{});
        of_integers(std::int64_t{});
        const auto of_numbers = [&]<class T>(T) {
          for (const Kind kind : {Kind::sum, Kind::product, Kind::minimum, Kind::maximum,
                                  Kind::logical_and, Kind::logical_or, Kind::logical_xor})
            check_allreduce<T>(c, 37, kind, InPlace::yes, 1);
        };
        of_numbers(Float16{});
        of_numbers(BFloat16{});
        of_numbers(float{});
        check_reduce_scatter<std::complex<double>>(c, 37, Kind::product, InPlace::yes, 1);
        element_memory = {};
      },
      {2, 5});
}

TEST(DirectCollectives, AveragesHaveTheHostsBits) {
  test_device();
  on_device_worlds(
      [](Communicator& c) {
        const auto check = [&]<class T>(T) {
          std::vector<T> mine(50), there(50);
          for (std::size_t i = 0; i < mine.size(); ++i)
            mine[i] = T(static_cast<float>(i) + static_cast<float>(c.rank()) / 3);
          const DeviceArray<T> input(mine), output(there);
          // In rank order, as on the device.
          const Communicator in_order = c.with_algorithms("allreduce:shared_memory");
          allreduce(c.size() > 1 ? in_order : c, mine, there, Reduction::Kind::average);
          allreduce(c, std::span(input.data(), 50), std::span(output.data(), 50),
                    Reduction::Kind::average);
          require(std::memcmp(output.read().data(), there.data(), 50 * sizeof(T)) == 0,
                  "an average has other bits");
        };
        check(float{});
        check(double{});
        check(Float16{});
        check(BFloat16{});
      },
      {1, 3});
}

TEST(DirectCollectives, ManyAtOnce) {
  test_device();
  const StandIn stand_in;
  stand_in.streams("late");
  on_device_worlds(
      [](Communicator& c) {
        constexpr std::size_t calls = 30, count = 40;  // more than there are offers at a time
        std::vector<std::unique_ptr<TwoArrays>> arrays;
        std::vector<std::vector<double>> on_host(calls, std::vector<double>(count));
        std::vector<Request> requests;
        for (std::size_t call = 0; call < calls; ++call) {
          const DeviceArray<double> mine(
              contribution<double>(c.rank(), count, static_cast<unsigned>(call)));
          arrays.push_back(std::make_unique<TwoArrays>(count));
          const CudaStream stream(test_device());
          stream.copy(mine.data(), arrays.back()->input.data(), count * sizeof(double));
          stream.wait();
          requests.push_back(start_allreduce(c, arrays.back()->in(count), arrays.back()->out(count),
                                             Reduction::Kind::sum));
          requests.push_back(
              start_allreduce(c, on_host[call], on_host[call], Reduction::Kind::sum));
        }
        while (!requests.empty()) {  // the last first
          requests.back().wait();
          requests.pop_back();
        }
        for (std::size_t call = 0; call < calls; ++call) {
          require(arrays[call]->output.read() == combined<double>(c.size(), count,
                                                                  static_cast<unsigned>(call),
                                                                  Reduction::Kind::sum),
                  "call {} is wrong", call);
        }
      },
      {1, 2, 3});
}

TEST(DirectCollectives, WithoutACompilerSumsAreStaged) {
  if (on_a_real_device()) GTEST_SKIP() << "only the stand-in counts";
  test_device();
  const StandIn stand_in;
  Environment environment = device_environment();
  environment.nvrtc = "/there/is/none";
  testing::internal::CaptureStderr();
  run_ranks(
      3,
      [&](Communicator& c) {
        put_elements(Where::everywhere, c.rank());
        check_allreduce<double>(c, 100, Reduction::Kind::sum, InPlace::no, 1);
        check_reduce_scatter<double>(c, 100, Reduction::Kind::sum, InPlace::yes, 2);
        element_memory = {};
        const TwoArrays arrays(100);
        const auto bytes = bytes_through_host(c, stand_in, [&] {
          allreduce(c, arrays.in(100), arrays.out(100), Reduction::Kind::sum);
        });
        require(bytes == 2 * 3 * 800, "{} bytes went through the host", bytes);
      },
      environment);
  const std::string said = testing::internal::GetCapturedStderr();
  const std::size_t first = said.find("go through the host");
  ASSERT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("go through the host", first + 1), std::string::npos) << said;
  EXPECT_NE(said.find("/there/is/none"), std::string::npos) << said;
}

TEST(DirectCollectives, WithoutAWayBetweenDevicesCallsAreStaged) {
  if (on_a_real_device()) GTEST_SKIP() << "only the stand-in counts";
  test_device();
  const StandIn stand_in;
  for (const char* lack : {"", "peers"}) {
    stand_in.without(lack);
    const bool staged = lack != std::string();
    testing::internal::CaptureStderr();
    run_ranks(
        3,
        [&](Communicator& c) {
          const CudaDevice& device = test_device(c.rank() % 2);
          const TwoArrays arrays(100, device);
          const DeviceArray<double> input(contribution<double>(c.rank(), 100, 1), device);
          for (int repeat = 0; repeat < 2; ++repeat) {
            const auto bytes = bytes_through_host(c, stand_in, [&] {
              allreduce(c, std::span(input.data(), 100), arrays.out(100), Reduction::Kind::sum);
            });
            require(bytes == (staged ? 2 * 3 * 800 : 0), "{} bytes went through the host", bytes);
          }
          require(arrays.output.read() == combined<double>(3, 100, 1, Reduction::Kind::sum),
                  "a sum is wrong");
        },
        device_environment());
    const std::string said = testing::internal::GetCapturedStderr();
    const std::size_t first = said.find("go through the host");
    EXPECT_EQ(first != std::string::npos, staged) << said;
    if (!staged) continue;
    EXPECT_EQ(said.find("go through the host", first + 1), std::string::npos) << said;
    EXPECT_NE(said.find("has no way to device"), std::string::npos) << said;
  }
}

TEST(DirectCollectives, ARankThatDoesNotComeIsNamed) {
  test_device();
  for (const bool leaves : {false, true}) {
    Environment environment = device_environment();
    environment.timeout = std::chrono::seconds(1);
    std::atomic<int> errors = 0;
    std::atomic<bool> over = false;
    const auto body = [&](Communicator& c) {
      const TwoArrays arrays(100);
      if (c.rank() == 1) {
        if (leaves) throw Wrong("on purpose");
        while (!over) std::this_thread::yield();
        return;
      }
      try {
        allreduce(c, arrays.in(100), arrays.out(100), Reduction::Kind::sum);
      } catch (const Error& error) {
        const bool right =
            leaves ? error.code() == ErrorCode::peer_failed : error.code() != ErrorCode::internal;
        if (right && std::string(error.what()).find("rank 1") != std::string::npos) ++errors;
      }
      if (errors == 2) over = true;
    };
    try {
      run_ranks(3, body, environment);
    } catch (const std::exception&) {
    }
    EXPECT_EQ(errors, 2) << leaves;
  }
}

TEST(DirectCollectives, OtherLengthsAreNoticed) {
  test_device();
  const auto body = [](Communicator& c) {
    const TwoArrays arrays(100);
    const auto count = static_cast<std::size_t>(c.rank() == 1 ? 90 : 100);
    const Error error =
        error_of([&] { allreduce(c, arrays.in(count), arrays.out(count), Reduction::Kind::sum); });
    require(error.code() == ErrorCode::mismatch, "{}", error.what());
  };
  run_ranks(2, body, device_environment());
}

TEST(DirectCollectives, ALostDeviceEndsTheCollective) {
  if (on_a_real_device()) GTEST_SKIP() << "a real device is not broken for a test";
  test_device();
  const StandIn stand_in;
  stand_in.streams("late");
  std::atomic<int> errors = 0, ended = 0;
  run_ranks(
      3,
      [&](Communicator& c) {
        const TwoArrays arrays(100);
        barrier(c);
        if (c.rank() == 0) stand_in.fail("cuLaunchKernel", 0, 719);
        barrier(c);
        try {
          allreduce(c, arrays.in(100), arrays.out(100), Reduction::Kind::sum);
        } catch (const Error& error) {
          if (error.code() == ErrorCode::io || error.code() == ErrorCode::peer_failed) ++errors;
        }
        ++ended;
        while (ended < 3) std::this_thread::yield();
        stand_in.recover();  // so that the kernels are unloaded
      },
      device_environment());
  EXPECT_EQ(errors, 3);
}

}  // namespace device_buffers_test
}  // namespace cuboid::detail
