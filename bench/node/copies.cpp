// Which copy of a message between two processes of a node is the quickest? Half of a round trip
// between this process and a child, each bound to a core of its own: the receiver reads the
// sender's memory (process_vm_readv), or both copy at once through a ring of 16 segments of 8 KiB.
// Once with data that stays as it is, so that both cores may keep it in their caches, and once with
// data that the sender writes before each message; writing is not counted. Prints bytes, and
// medians in microseconds.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include <sched.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

struct alignas(64) Counter {
  std::atomic<std::uint64_t> value = 0;
  void wait_for(std::uint64_t least) const {
    while (value.load(std::memory_order_acquire) < least) {
    }
  }
  void set(std::uint64_t number) { value.store(number, std::memory_order_release); }
};

constexpr std::size_t segment_bytes = 8 << 10;
constexpr std::uint64_t segments = 16;
constexpr std::size_t longest = 4 << 20;

// What both processes map; one of each for either.
struct Shared {
  std::array<Counter, 2> process, met, put, taken;
  std::array<std::atomic<std::byte*>, 2> message;
  std::array<std::array<std::array<std::byte, segment_bytes>, segments>, 2> ring;
};

class End {
 public:
  End(Shared& shared, std::size_t me) : shared_(shared), me_(me), out_(longest), in_(longest) {
    shared_.message[me_] = out_.data();
    shared_.process[me_].set(static_cast<std::uint64_t>(getpid()));
    shared_.process[1 - me_].wait_for(1);
  }

  double half_round_trip(std::size_t bytes, bool by_segments, bool writes) {
    constexpr std::size_t repetitions = 201;
    std::vector<double> microseconds;
    for (std::size_t i = 0; i < repetitions; ++i) {
      if (writes) std::memset(out_.data(), static_cast<int>(i % 100), bytes);
      shared_.met[me_].set(++met_);
      shared_.met[1 - me_].wait_for(met_);
      const auto begin = std::chrono::steady_clock::now();
      for (const std::size_t sender : {0, 1}) {
        if (by_segments) {
          sender == me_ ? copy_in(bytes) : copy_out(bytes);
        } else {
          sender == me_ ? offer() : read(bytes);
        }
      }
      const std::chrono::duration<double, std::micro> both =
          std::chrono::steady_clock::now() - begin;
      microseconds.push_back(both.count() / 2);
    }
    std::ranges::nth_element(microseconds, microseconds.begin() + repetitions / 2);
    return microseconds[repetitions / 2];
  }

 private:
  void copy_in(std::size_t bytes) {
    for (std::size_t done = 0; done < bytes; done += segment_bytes) {
      if (put_ >= segments) shared_.taken[1 - me_].wait_for(put_ - segments + 1);
      std::memcpy(shared_.ring[me_][put_ % segments].data(), out_.data() + done,
                  std::min(segment_bytes, bytes - done));
      shared_.put[me_].set(++put_);
    }
  }

  void copy_out(std::size_t bytes) {
    for (std::size_t done = 0; done < bytes; done += segment_bytes) {
      shared_.put[1 - me_].wait_for(taken_ + 1);
      std::memcpy(in_.data() + done, shared_.ring[1 - me_][taken_ % segments].data(),
                  std::min(segment_bytes, bytes - done));
      shared_.taken[me_].set(++taken_);
    }
  }

  // A message that is read counts as one piece.
  void offer() {
    shared_.put[me_].set(++put_);
    shared_.taken[1 - me_].wait_for(put_);
  }

  void read(std::size_t bytes) {
    shared_.put[1 - me_].wait_for(++taken_);
    const iovec mine{in_.data(), bytes};
    const iovec theirs{shared_.message[1 - me_], bytes};
    const auto process = static_cast<pid_t>(shared_.process[1 - me_].value.load());
    if (process_vm_readv(process, &mine, 1, &theirs, 1, 0) != static_cast<ssize_t>(bytes)) {
      std::perror("process_vm_readv");
      std::exit(1);
    }
    shared_.taken[me_].set(taken_);
  }

  Shared& shared_;
  std::size_t me_;
  std::vector<std::byte> out_;
  std::vector<std::byte> in_;
  std::uint64_t met_ = 0;
  std::uint64_t put_ = 0;
  std::uint64_t taken_ = 0;
};

void bind_to(std::size_t core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

}  // namespace

int main() {
  void* const memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  auto& shared = *new (memory) Shared;
  const std::size_t me = fork() == 0 ? 1 : 0;
  bind_to(me);
  End end(shared, me);
  if (me == 0) std::printf("    bytes  unwritten: read  segments  written: read  segments\n");
  for (std::size_t bytes = 1 << 10; bytes <= longest; bytes *= 4) {
    double results[4];
    std::size_t next = 0;
    for (const bool writes : {false, true}) {
      for (const bool by_segments : {false, true})
        results[next++] = end.half_round_trip(bytes, by_segments, writes);
    }
    if (me == 0)
      std::printf("%9zu %16.2f %9.2f %14.2f %9.2f\n", bytes, results[0], results[1], results[2],
                  results[3]);
  }
  if (me == 0) wait(nullptr);
  return 0;
}
