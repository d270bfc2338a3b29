// Every operation on the real engine, ranks being threads: all types, reductions, roots, lengths.

#include "tests/collectives/operations/calls.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <random>
#include <tuple>

namespace cuboid::detail {
namespace operations_test {

constexpr InPlace places[] = {InPlace::no, InPlace::yes};

using Numbers = std::tuple<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                           std::uint16_t, std::uint32_t, std::uint64_t, float, double,
                           std::complex<float>, std::complex<double>>;

// Calls `visit.operator()<T>()` for every type of a tuple.
template <class Tuple, class Visit>
void for_types(Visit visit) {
  [&]<std::size_t... index>(std::index_sequence<index...>) {
    (visit.template operator()<std::tuple_element_t<index, Tuple>>(), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<Tuple>>());
}

struct ThreeBytes {
  char bytes[3];
};
struct Triple {
  double x, y, z;
};
using Movables = decltype(std::tuple_cat(Numbers(), std::tuple<std::byte, ThreeBytes, Triple>()));

TEST(Operations, EveryTypeIsMoved) {
  on_worlds([](Communicator& c) {
    unsigned salt = 0;
    for_types<Movables>([&]<class T>() {
      const int root = static_cast<int>(++salt) % c.size();
      check_broadcast<T>(c, 3, root, salt);
      check_allgather<T>(c, 3, InPlace::no, salt);
      check_gather<T>(c, 3, root, InPlace::no, salt);
      check_scatter<T>(c, 3, root, InPlace::no, salt);
      check_alltoall<T>(c, 3, salt);
    });
  });
}

constexpr Reduction::Kind all_kinds[] = {
    Reduction::Kind::sum,         Reduction::Kind::product,     Reduction::Kind::minimum,
    Reduction::Kind::maximum,     Reduction::Kind::logical_and, Reduction::Kind::logical_or,
    Reduction::Kind::logical_xor, Reduction::Kind::bitwise_and, Reduction::Kind::bitwise_or,
    Reduction::Kind::bitwise_xor};

TEST(Operations, EveryTypeIsReducedInEveryWay) {
  on_worlds([](Communicator& c) {
    unsigned salt = 0;
    for_types<Numbers>([&]<class T>() {
      for (const Reduction reduction : all_kinds) {
        if (!reduction.defined_for(datatype_of<T>())) continue;
        const int root = static_cast<int>(++salt) % c.size();
        check_reduce<T>(c, 7, root, reduction, InPlace::no, salt);
        check_allreduce<T>(c, 7, reduction, InPlace::no, salt);
        check_reduce_scatter<T>(c, 3, reduction, InPlace::no, salt);
      }
    });
  });
}

template <class T>
constexpr std::size_t lengths[] = {0, 1, 3, 1000, 100003 / sizeof(T)};

TEST(Operations, EveryRootAndLength) {
  on_worlds([](Communicator& c) {
    unsigned salt = 0;
    for (int root = 0; root < c.size(); ++root) {
      for (const InPlace in_place : places) {
        for (const std::size_t count : lengths<std::int32_t>) {
          ++salt;
          check_broadcast<std::byte>(c, count, root, salt);
          check_reduce<std::int32_t>(c, count, root, Reduction::Kind::sum, in_place, salt);
          check_gather<std::byte>(c, count, root, in_place, salt);
          check_scatter<std::byte>(c, count, root, in_place, salt);
        }
      }
    }
  });
}

TEST(Operations, EveryLengthWithoutARoot) {
  on_worlds([](Communicator& c) {
    unsigned salt = 0;
    for (const InPlace in_place : places) {
      for (const std::size_t count : lengths<double>) {
        ++salt;
        check_allreduce<double>(c, count, Reduction::Kind::sum, in_place, salt);
        check_allgather<double>(c, count, in_place, salt);
        check_reduce_scatter<double>(c, count, Reduction::Kind::sum, in_place, salt);
        check_alltoall<double>(c, count, salt);
      }
    }
  });
}

// Long enough for many segments on every path, and not a whole number of them.
TEST(Operations, LongMessages) {
  on_worlds([](Communicator& c) {
    constexpr std::size_t count = (std::size_t{3} << 19) / sizeof(double) + 1;
    const auto share = count / static_cast<std::size_t>(c.size());
    const int root = c.size() / 2;
    for (const InPlace in_place : places) {
      check_broadcast<double>(c, count, root, 1);
      check_reduce<double>(c, count, root, Reduction::Kind::sum, in_place, 2);
      check_allreduce<double>(c, count, Reduction::Kind::sum, in_place, 3);
      check_allgather<double>(c, share, in_place, 4);
      check_reduce_scatter<double>(c, share, Reduction::Kind::sum, in_place, 5);
      check_gather<double>(c, share, root, in_place, 6);
      check_scatter<double>(c, share, root, in_place, 7);
      check_alltoall<double>(c, share, 8);
    }
  });
}

TEST(Operations, BlocksOfDifferentLengths) {
  on_worlds([](Communicator& c) {
    unsigned salt = 0;
    for (const InPlace in_place : places) {
      for (const std::size_t count : {0, 1, 50, 20000}) {
        for (const std::size_t gap : {0, 5}) {
          ++salt;
          const auto layout = BlockLayout::uneven(c.size(), count, gap);
          const int root = static_cast<int>(salt) % c.size();
          check_allgatherv<float>(c, layout, in_place, salt);
          check_gatherv<float>(c, layout, root, in_place, salt);
          check_scatterv<float>(c, layout, root, in_place, salt);
          check_alltoallv<float>(c, count, gap, salt);
          if (gap == 0)
            check_reduce_scatterv<float>(c, layout, Reduction::Kind::sum, in_place, salt);
        }
      }
    }
  });
}

TEST(Operations, OperationsThatDoNotCommuteGoInRankOrder) {
  const Reduction in_order = Reduction::user(combine_all<RankRange>, Commutative::no);
  on_worlds([&](Communicator& c) {
    for (const InPlace in_place : places) {
      for (const std::size_t count : {1, 10, 40000}) {
        check_allreduce<RankRange>(c, count, in_order, in_place, 0);
        check_reduce_scatter<RankRange>(c, count / 10, in_order, in_place, 0);
        check_reduce_scatterv<RankRange>(c, BlockLayout::uneven(c.size(), count / 10, 0), in_order,
                                         in_place, 0);
      }
      for (int root = 0; root < c.size(); ++root)
        check_reduce<RankRange>(c, 100, root, in_order, in_place, 0);
    }
  });
}

TEST(Operations, UsersOperationsThatCommuteTakeEveryContributionOnce) {
  const Reduction once = Reduction::user(combine_all<Contributions>, Commutative::yes);
  on_worlds([&](Communicator& c) {
    for (const InPlace in_place : places) {
      for (const std::size_t count : {1, 100, 20000}) {
        check_allreduce<Contributions>(c, count, once, in_place, 0);
        check_reduce<Contributions>(c, count, c.size() - 1, once, in_place, 0);
        check_reduce_scatter<Contributions>(c, count / 10, once, in_place, 0);
      }
    }
  });
}

// Rounding depends on the order of additions: it must not depend on rank or luck.
TEST(Operations, FloatsAreTheSameBitsEverywhereAndEveryTime) {
  on_worlds([](Communicator& c) {
    for (const std::size_t count : {1, 1000, 50000}) {
      std::mt19937_64 random(static_cast<unsigned>(c.rank()) + 1);
      std::uniform_real_distribution<double> any(-1, 1);
      std::vector<double> input(count);
      for (double& x : input) x = any(random) * std::pow(10, 10 * any(random));
      std::vector<double> first(count);
      allreduce(c, input, first, Reduction::Kind::sum);
      std::vector<double> of_rank_zero = first;
      broadcast(c, of_rank_zero, 0);
      require(std::memcmp(first.data(), of_rank_zero.data(), count * sizeof(double)) == 0,
              "rank {} has other bits than rank 0", c.rank());
      for (int run = 0; run < 5; ++run) {
        std::vector<double> again(count);
        allreduce(c, input, again, Reduction::Kind::sum);
        require(std::memcmp(first.data(), again.data(), count * sizeof(double)) == 0,
                "run {} has other bits", run);
      }
    }
  });
}

TEST(Operations, BarrierHoldsEveryoneUntilTheLastHasCome) {
  on_worlds([](Communicator& c) {
    static std::atomic<int> arrived;
    for (int round = 0; round < 20; ++round) {
      if (c.rank() == 0) arrived = 0;
      barrier(c);
      ++arrived;
      barrier(c);
      const int seen = arrived;
      require(seen == c.size(), "only {} had arrived", seen);
      barrier(c);
    }
  });
}

// More collectives than a tag counts, none of them keeping the ranks in step.
TEST(Operations, RootsMayRunAhead) {
  on_worlds([](Communicator& c) {
    for (int i = 0; i < 600; ++i) {
      std::array<int, 1> value = {c.rank() == 0 ? i : -1};
      broadcast(c, value, 0);
      require(value[0] == i, "broadcast {} brought {}", i, value[0]);
    }
    for (int i = 0; i < 600; ++i) {
      std::array<int, 1> sum = {};
      reduce(c, std::array<int, 1>{i}, sum, Reduction::Kind::sum, c.size() - 1);
      require(c.rank() != c.size() - 1 || sum[0] == i * c.size(), "reduce {} gave {}", i, sum[0]);
    }
  });
}

}  // namespace operations_test
}  // namespace cuboid::detail
