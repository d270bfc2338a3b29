// Thousands of collectives of all kinds, blocking and not, on several communicators at once, with
// random sizes and roots: all right, and no memory lost on the way.

#include <cuboid/collectives.hpp>

#include "tests/collectives/operations/calls.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <vector>

#include <unistd.h>

namespace cuboid::detail {
namespace soak_test {

constexpr auto sum = Reduction::Kind::sum;

/// A collective in flight and what it must come to.
struct InFlight {
  std::vector<int> input;
  std::vector<int> output;
  std::vector<int> expected;
  Request request;
};

class Soak {
 public:
  Soak(const Communicator& world, unsigned seed)
      : world_(world), shared_(seed), own_(seed + 1 + static_cast<unsigned>(world.rank())) {
    communicators_ = {world, world.duplicate(), world.split(world.rank() % 2, world.rank()),
                      world.split(world.rank() / 3, -world.rank())};
  }

  void run(int collectives) {
    for (int i = 0; i < collectives; ++i) {
      if (draw(3) == 0) {
        start_one();
      } else {
        call_one();
      }
      // Ranks wait for what is in flight whenever they like, and in any order.
      if (in_flight_.size() > 12 || (!in_flight_.empty() && own_() % 4 == 0)) finish_one();
    }
    while (!in_flight_.empty()) finish_one();
  }

 private:
  /// The same number below `end` on every rank.
  std::size_t draw(std::size_t end) { return shared_() % end; }

  const Communicator& any_communicator() { return communicators_[draw(communicators_.size())]; }

  /// Mostly short, now and then long. The same on all ranks of a group, whatever its size.
  std::size_t any_count() { return draw(8) == 0 ? draw(30000) : draw(300); }

  int any_root(const Communicator& c) {
    return static_cast<int>(draw(10000) % static_cast<std::size_t>(c.size()));
  }

  void call_one() {
    const Communicator& c = any_communicator();
    const std::size_t count = any_count();
    const int root = any_root(c);
    const auto salt = static_cast<unsigned>(draw(100));
    const InPlace in_place = draw(2) == 0 ? InPlace::no : InPlace::yes;
    const auto few = count / 4;
    switch (draw(12)) {
      case 0: barrier(c); break;
      case 1: check_broadcast<double>(c, count, root, salt); break;
      case 2: check_reduce<float>(c, count, root, sum, in_place, salt); break;
      case 3: check_allreduce<double>(c, count, sum, in_place, salt); break;
      case 4: check_allgather<int>(c, few, in_place, salt); break;
      case 5:
        check_allgatherv<int>(c, BlockLayout::uneven(c.size(), few, 1), in_place, salt);
        break;
      case 6: check_reduce_scatter<int>(c, few, sum, in_place, salt); break;
      case 7: check_gather<short>(c, few, root, in_place, salt); break;
      case 8: check_scatter<double>(c, few, root, in_place, salt); break;
      case 9: check_alltoall<int>(c, few, salt); break;
      case 10: check_alltoallv<int>(c, few, 1, salt); break;
      case 11: check_scatterv<int>(c, BlockLayout::uneven(c.size(), few, 2), root, in_place, salt);
    }
  }

  void start_one() {
    const Communicator& c = any_communicator();
    const std::size_t count = any_count();
    const int root = any_root(c);
    const auto salt = static_cast<unsigned>(draw(100));
    auto one = std::make_unique<InFlight>();
    switch (draw(3)) {
      case 0:
        one->expected = pattern<int>(root, count, salt);
        one->output = c.rank() == root ? one->expected : untouched<int>(count);
        one->request = start_broadcast(c, one->output, root);
        break;
      case 1:
        one->input = contribution<int>(c.rank(), count, salt);
        one->expected = combined<int>(c.size(), count, salt, sum);
        one->output = untouched<int>(count);
        one->request = start_allreduce(c, one->input, one->output, sum);
        break;
      case 2:
        one->input = pattern<int>(c.rank(), count, salt);
        for (int rank = 0; rank < c.size(); ++rank)
          std::ranges::copy(pattern<int>(rank, count, salt), std::back_inserter(one->expected));
        one->output = untouched<int>(one->expected.size());
        one->request = start_allgather(c, one->input, one->output);
        break;
    }
    in_flight_.push_back(std::move(one));
  }

  void finish_one() {
    std::swap(in_flight_[own_() % in_flight_.size()], in_flight_.back());
    InFlight& one = *in_flight_.back();
    one.request.wait();
    require(one.output == one.expected, "a collective of {} elements in flight went wrong",
            one.output.size());
    in_flight_.pop_back();
  }

  Communicator world_;
  std::mt19937 shared_;  // the same numbers on every rank
  std::mt19937 own_;
  std::vector<Communicator> communicators_;
  std::vector<std::unique_ptr<InFlight>> in_flight_;
};

double resident_mebibytes() {
  std::ifstream file("/proc/self/statm");
  double all = 0;
  double resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

TEST(Soak, ThousandsOfMixedCollectivesAreRight) {
  for (const int ranks : {2, 5, 8}) {
    run_ranks(ranks, [](Communicator& c) { Soak(c, 2026).run(1000); });
  }
}

TEST(Soak, WithHelperThreadsToo) {
  Environment environment = Environment::read();
  environment.progress = ProgressBy::thread;
  run_ranks(
      4, [](Communicator& c) { Soak(c, 11).run(500); }, environment);
}

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

/// Collectives of a soak; CUBOID_SOAK=1000000 asks for a long one.
int collectives_to_soak() {
  const char* const wanted = std::getenv("CUBOID_SOAK");
  constexpr int short_one = 3200;
  return wanted == nullptr ? short_one : std::atoi(wanted);
}

TEST(Soak, LosesNoMemory) {
#ifdef CUBOID_SANITIZED
  GTEST_SKIP() << "a sanitizer keeps what is freed for a while; leaks are its own affair";
#endif
  constexpr int parts = 4;
  double early = 0;
  double late = 0;
  std::ptrdiff_t early_descriptors = 0;
  std::ptrdiff_t late_descriptors = 0;
  run_ranks(4, [&](Communicator& c) {
    Soak soak(c, 7);
    for (int part = 0; part < parts; ++part) {
      soak.run(collectives_to_soak() / parts);
      barrier(c);
      if (c.rank() == 0) {
        (part <= 1 ? early : late) = resident_mebibytes();
        (part <= 1 ? early_descriptors : late_descriptors) = open_descriptors();
      }
      barrier(c);
    }
  });
  // What is lost of every call would add up; caches are full by half-time.
  constexpr double slack = 16;
  EXPECT_LT(late, early + slack);
  EXPECT_EQ(late_descriptors, early_descriptors);
  RecordProperty("mebibytes", fmt::format("{} at half-time, {} at the end", early, late));
}

TEST(Soak, CommunicatorsComeAndGo) {
  run_ranks(5, [](Communicator& c) {
    for (unsigned round = 0; round < 30; ++round) Soak(c, round).run(20);
  });
}

}  // namespace soak_test
}  // namespace cuboid::detail
