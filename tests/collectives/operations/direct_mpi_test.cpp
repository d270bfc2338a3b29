// Collectives between processes whose buffers lie in a device's memory, on the stand-in for CUDA:
// data go from one process' allocation to the other's.

#include <cuboid/mpi.hpp>
#include <cuboid/window.hpp>

#include "tests/collectives/operations/calls.hpp"
#include "tests/devices/a_device.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include <mpi.h>
#include <unistd.h>

namespace cuboid::detail {
namespace {

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

void put_elements_on_device(bool there) {
  element_memory = {};
  if (!there) return;
  element_memory = [](std::span<const std::byte> content) -> std::unique_ptr<ElementMemory> {
    return std::make_unique<OnDevice>(content);
  };
}

void check_operations(const Communicator& c) {
  for (const InPlace in_place : {InPlace::no, InPlace::yes}) {
    for (const std::size_t count : {5, 3000}) {
      const int root = static_cast<int>(count) % c.size();
      const Reduction sum = Reduction::Kind::sum;
      const auto blocks = BlockLayout::uneven(c.size(), count, 3);
      check_broadcast<double>(c, count, root, 1);
      check_reduce<double>(c, count, root, sum, in_place, 2);
      check_allreduce<double>(c, count, sum, in_place, 3);
      check_allreduce<Float16>(c, count, sum, in_place, 3);
      check_scan<double>(c, count, sum, in_place, 4);
      check_exscan<double>(c, count, sum, in_place, 5);
      check_allgather<int>(c, count, in_place, 6);
      check_allgatherv<int>(c, blocks, in_place, 7);
      check_gather<int>(c, count, root, in_place, 8);
      check_gatherv<int>(c, blocks, root, in_place, 9);
      check_scatter<int>(c, count, root, in_place, 10);
      check_scatterv<int>(c, blocks, root, in_place, 11);
      check_reduce_scatter<float>(c, count, sum, in_place, 12);
      check_reduce_scatterv<float>(c, BlockLayout::uneven(c.size(), count, 0), sum, in_place, 13);
      check_alltoall<int>(c, count, 14);
      check_alltoallv<int>(c, count, 2, 15);
    }
  }
}

/// The bytes that a sum in devices' memory moves between this rank's device and the host.
std::int64_t bytes_of_a_sum(const Communicator& c, const StandIn& stand_in,
                            const CudaDevice& device = test_device()) {
  constexpr std::size_t count = 1000;
  const DeviceArray<double> input(contribution<double>(c.rank(), count, 1), device);
  const DeviceArray<double> output(std::vector<double>(count), device);
  const auto bytes = [&] { return stand_in.counts().bytes_up + stand_in.counts().bytes_down; };
  const std::int64_t before = bytes();
  allreduce(c, std::span(input.data(), count), std::span(output.data(), count),
            Reduction::Kind::sum);
  const std::int64_t moved = bytes() - before;
  require(output.read() == combined<double>(c.size(), count, 1, Reduction::Kind::sum),
          "a sum is wrong");
  return moved;
}

/// What is written to the standard error while the object exists.
class Said {
 public:
  Said() : file_(std::tmpfile()), error_(dup(STDERR_FILENO)) { dup2(fileno(file_), STDERR_FILENO); }
  ~Said() { stop(); }
  Said(const Said&) = delete;
  Said& operator=(const Said&) = delete;
  std::string stop() {
    if (file_ == nullptr) return {};
    dup2(error_, STDERR_FILENO);
    close(error_);
    std::string all(static_cast<std::size_t>(lseek(fileno(file_), 0, SEEK_END)), ' ');
    lseek(fileno(file_), 0, SEEK_SET);
    const ssize_t got = read(fileno(file_), all.data(), all.size());
    all.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    std::fclose(std::exchange(file_, nullptr));
    return all;
  }

 private:
  std::FILE* file_;
  int error_;
};

int times_in(const std::string& text, const std::string& part) {
  int times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++times;
  return times;
}

/// Where processes cannot share memory ("ipc"), one cannot open it ("opening"), or the ranks'
/// devices do not reach each other ("peers"), calls are staged, and rank 0 says so once.
void check_without(const std::string& lack, const Communicator& c, const StandIn& stand_in) {
  const CudaDevice& device = test_device(lack == "peers" ? c.rank() % 2 : 0);
  Said said;
  if (lack == "opening") {
    if (c.rank() == c.size() - 1) stand_in.fail("cuIpcOpenMemHandle_v2", 0, 205);
  } else {
    stand_in.without(lack.c_str());
  }
  const std::int64_t moved = bytes_of_a_sum(c, stand_in, device);
  if (lack != "opening") bytes_of_a_sum(c, stand_in, device);
  stand_in.without("");
  const int warnings = times_in(said.stop(), "go through the host");
  require(moved == 2 * 8000, "{} bytes went through the host", moved);
  require(warnings == (c.rank() == 0 ? 1 : 0), "{} warnings", warnings);
}

/// The driver opens no allocation where one that was freed is still open: that one is closed.
void check_already_mapped(const Communicator& c, const StandIn& stand_in) {
  constexpr int already_mapped = 208;
  bytes_of_a_sum(c, stand_in);
  stand_in.fail("cuIpcOpenMemHandle_v2", 0, already_mapped);
  const std::int64_t moved = bytes_of_a_sum(c, stand_in);
  require(moved == 0, "{} bytes went through the host", moved);
}

/// Later allocations lie where earlier ones lay.
void check_freed_and_allocated_again(const Communicator& c, const StandIn& stand_in) {
  for (unsigned round = 0; round < 20; ++round) {
    const std::size_t count = 1000 + 600 * (round % 3);
    check_allreduce<double>(c, count, Reduction::Kind::sum, InPlace::yes, round);
    check_broadcast<double>(c, count, static_cast<int>(round) % c.size(), round);
  }
  const auto others = static_cast<std::int64_t>(c.size()) - 1;
  require(stand_in.opened() <= 40 * others, "{} allocations are open", stand_in.opened());
}

/// Windows on devices, which other processes open, or have served where they cannot.
void check_windows(const Communicator& c, bool opens) {
  constexpr std::size_t block = 3000, bytes = block * sizeof(double);
  const DeviceArray<double> mine(contribution<double>(c.rank(), block, 1));
  const DeviceArray<double> got{std::vector<double>(block)};
  const auto bytes_of = [](const DeviceArray<double>& array) {
    return std::as_writable_bytes(std::span(array.data(), block));
  };
  const auto slot = [](int rank) { return static_cast<std::size_t>(rank) * bytes; };
  Window window(c, slot(c.size()), 0);
  for (int peer = 0; peer < c.size(); ++peer) window.put(bytes_of(mine), peer, slot(c.rank()));
  window.fence();
  const int next = (c.rank() + 1) % c.size(), last = c.size() - 1;
  window.wait(window.get(bytes_of(got), next, slot(last)));
  require(got.read() == contribution<double>(last, block, 1), "a get is wrong");
  require(window.direct(next).empty() != opens, "rank {} is not reached as it should be", next);
  window.fence();
}

void check_all(int rank) {
  test_device();
  const StandIn stand_in;
  const auto world = [] {
    return Communicator(mpi_bootstrap(MPI_COMM_WORLD), device_environment());
  };
  for (const char* streams : {"late", "early"}) {
    stand_in.streams(streams, static_cast<unsigned>(rank) + 1);
    const Communicator c = world();
    put_elements_on_device(true);
    check_operations(c);
    put_elements_on_device(c.rank() % 2 == 1);
    check_operations(c);
    put_elements_on_device(true);
    check_freed_and_allocated_again(c, stand_in);
    put_elements_on_device(false);
    check_windows(c, true);
    stand_in.without("ipc");
    check_windows(c, false);
    stand_in.without("");
    for (const int device : {0, c.rank() % 2}) {
      const std::int64_t moved = bytes_of_a_sum(c, stand_in, test_device(device));
      require(moved == 0, "{} bytes went through the host", moved);
    }
    check_already_mapped(c, stand_in);
  }
  require(stand_in.opened() == 0, "{} allocations stay open", stand_in.opened());
  for (const char* lack : {"ipc", "opening", "peers"}) check_without(lack, world(), stand_in);
}

}  // namespace
}  // namespace cuboid::detail

int main(int argc, char** argv) {
  setenv("STAND_IN_CUDA_DEVICES", "2", 1);
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int status = 0;
  try {
    cuboid::detail::check_all(rank);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
    status = 1;
  }
  if (status != 0) MPI_Abort(MPI_COMM_WORLD, status);
  MPI_Finalize();
  return status;
}
