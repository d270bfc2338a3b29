// How often the driver is looked for by a process that does not load it. A program of its own: the
// driver's path is read once.

#include "devices/memory/memory_space.hpp"
#include "tests/collectives/bootstrap/temporary_directory.hpp"

#include <array>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

namespace cuboid::detail {
namespace host_pages_test {

/// Counts how often a file is opened.
class Openings {
 public:
  explicit Openings(const std::string& path) : queue_(inotify_init1(IN_NONBLOCK)) {
    if (inotify_add_watch(queue_, path.c_str(), IN_OPEN) < 0) close(std::exchange(queue_, -1));
  }
  ~Openings() {
    if (can_count()) close(queue_);
  }
  Openings(const Openings&) = delete;
  Openings& operator=(const Openings&) = delete;

  bool can_count() const { return queue_ >= 0; }
  int count() {
    alignas(inotify_event) std::array<char, 65536> events{};
    // Events of a file that is itself watched have no names: all are equally long. Equal events one
    // after the other are one event.
    for (ssize_t bytes; (bytes = read(queue_, events.data(), events.size())) > 0;)
      count_ += static_cast<int>(static_cast<std::size_t>(bytes) / sizeof(inotify_event));
    return count_;
  }

 private:
  int queue_;
  int count_ = 0;
};

TEST(HostPages, TheDriverIsLookedForOnceHoweverBuffersLie) {
  const TemporaryDirectory folder;
  const std::string path = folder.path() / "no_driver";
  std::ofstream(path) << "no library";
  setenv("CUBOID_CUDA", path.c_str(), 1);
  Openings openings(path);
  if (!openings.can_count()) GTEST_SKIP() << "no inotify here";

  // Any two of them lie 1 MiB apart, or a multiple.
  const std::vector<char> memory(std::size_t{8} << 20);
  for (int round = 0; round < 10; ++round) {
    for (std::size_t begin = 0; begin < memory.size(); begin += std::size_t{1} << 20) {
      EXPECT_FALSE(may_lie_on_device(memory.data() + begin));
      EXPECT_EQ(openings.count(), 1);
    }
  }
}

}  // namespace host_pages_test
}  // namespace cuboid::detail
