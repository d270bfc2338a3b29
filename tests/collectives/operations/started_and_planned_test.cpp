// Every operation that moves or combines blocks, started and planned: the same results as the
// blocking call's, several in flight at once, and plans run again on new data.

#include <cuboid/collectives.hpp>

#include "tests/collectives/on_ranks.hpp"

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace cuboid::detail {
namespace started_and_planned_test {

using Values = std::vector<std::int64_t>;

/// The lengths of the blocks of the v-forms, some of them 0, and all of them one behind the other.
struct Lengths {
  std::vector<std::size_t> counts;
  std::vector<std::size_t> displacements;
  std::size_t total = 0;

  explicit Lengths(int ranks) {
    for (int rank = 0; rank < ranks; ++rank) {
      counts.push_back(static_cast<std::size_t>(rank * 7 % 5));
      displacements.push_back(total);
      total += counts.back();
    }
  }
};

/// `count` numbers that no other rank, round or place has.
Values numbers(std::size_t count, int rank, int round) {
  Values values(count);
  std::iota(values.begin(), values.end(), 1'000'000 * round + 1'000 * rank);
  return values;
}

constexpr std::size_t block = 6;

/// Runs an operation three ways on the same input: blocking, started and planned twice.
/// @param blocking, start  called with input and output
/// @param plan             the same; made once, on memory that then gets the next round's input
template <class Blocking, class Start, class Plan>
void check(const char* what, const Communicator& c, std::size_t input_count,
           std::size_t output_count, Blocking blocking, Start start, Plan plan) {
  Values planned_input(input_count), planned_output(output_count, -1);
  CollectivePlan made = plan(planned_input, planned_output);
  for (int round = 1; round <= 2; ++round) {
    const Values input = numbers(input_count, c.rank(), round);
    const Values other = numbers(input_count, c.rank(), round + 10);
    Values expected(output_count, -1), expected_of_other(output_count, -1);
    blocking(input, expected);
    blocking(other, expected_of_other);

    Values first(output_count, -1), second(output_count, -1);
    Request of_first = start(input, first);
    Request of_second = start(other, second);
    of_second.wait();
    of_first.wait();
    require(first == expected && second == expected_of_other, "start_{} differs on rank {}", what,
            c.rank());

    planned_input = input;
    std::fill(planned_output.begin(), planned_output.end(), -1);
    made.run();
    require(planned_output == expected, "plan_{} differs on rank {} in round {}", what, c.rank(),
            round);
  }
}

TEST(StartedAndPlanned, ReduceAsReduceDoes) {
  on_worlds([](Communicator& c) {
    const int root = c.size() - 1;
    const Reduction sum = Reduction::Kind::sum;
    check(
        "reduce", c, block, c.rank() == root ? block : 0,
        [&](const Values& in, Values& out) { reduce(c, in, out, sum, root); },
        [&](const Values& in, Values& out) { return start_reduce(c, in, out, sum, root); },
        [&](const Values& in, Values& out) { return plan_reduce(c, in, out, sum, root); });
  });
}

TEST(StartedAndPlanned, GatherAsGatherDoes) {
  on_worlds([](Communicator& c) {
    const int root = c.size() / 2;
    const std::size_t all = c.rank() == root ? block * static_cast<std::size_t>(c.size()) : 0;
    check(
        "gather", c, block, all, [&](const Values& in, Values& out) { gather(c, in, out, root); },
        [&](const Values& in, Values& out) { return start_gather(c, in, out, root); },
        [&](const Values& in, Values& out) { return plan_gather(c, in, out, root); });
    const Lengths lengths(c.size());
    const auto& [counts, places, total] = lengths;
    const auto own = counts[static_cast<std::size_t>(c.rank())];
    check(
        "gatherv", c, own, c.rank() == root ? total : 0,
        [&](const Values& in, Values& out) { gatherv(c, in, out, counts, places, root); },
        [&](const Values& in, Values& out) {
          return start_gatherv(c, in, out, counts, places, root);
        },
        [&](const Values& in, Values& out) {
          return plan_gatherv(c, in, out, counts, places, root);
        });
  });
}

TEST(StartedAndPlanned, ScatterAsScatterDoes) {
  on_worlds([](Communicator& c) {
    const int root = c.size() / 2;
    const std::size_t all = c.rank() == root ? block * static_cast<std::size_t>(c.size()) : 0;
    check(
        "scatter", c, all, block, [&](const Values& in, Values& out) { scatter(c, in, out, root); },
        [&](const Values& in, Values& out) { return start_scatter(c, in, out, root); },
        [&](const Values& in, Values& out) { return plan_scatter(c, in, out, root); });
    const Lengths lengths(c.size());
    const auto& [counts, places, total] = lengths;
    const auto own = counts[static_cast<std::size_t>(c.rank())];
    check(
        "scatterv", c, c.rank() == root ? total : 0, own,
        [&](const Values& in, Values& out) { scatterv(c, in, counts, places, out, root); },
        [&](const Values& in, Values& out) {
          return start_scatterv(c, in, counts, places, out, root);
        },
        [&](const Values& in, Values& out) {
          return plan_scatterv(c, in, counts, places, out, root);
        });
  });
}

TEST(StartedAndPlanned, ReduceScatterAsReduceScatterDoes) {
  on_worlds([](Communicator& c) {
    const Reduction sum = Reduction::Kind::sum;
    check(
        "reduce_scatter", c, block * static_cast<std::size_t>(c.size()), block,
        [&](const Values& in, Values& out) { reduce_scatter(c, in, out, sum); },
        [&](const Values& in, Values& out) { return start_reduce_scatter(c, in, out, sum); },
        [&](const Values& in, Values& out) { return plan_reduce_scatter(c, in, out, sum); });
    const Lengths lengths(c.size());
    const auto own = lengths.counts[static_cast<std::size_t>(c.rank())];
    check(
        "reduce_scatterv", c, lengths.total, own,
        [&](const Values& in, Values& out) { reduce_scatterv(c, in, out, lengths.counts, sum); },
        [&](const Values& in, Values& out) {
          return start_reduce_scatterv(c, in, out, lengths.counts, sum);
        },
        [&](const Values& in, Values& out) {
          return plan_reduce_scatterv(c, in, out, lengths.counts, sum);
        });
  });
}

TEST(StartedAndPlanned, AllgatherAsAllgatherDoes) {
  on_worlds([](Communicator& c) {
    check(
        "allgather", c, block, block * static_cast<std::size_t>(c.size()),
        [&](const Values& in, Values& out) { allgather(c, in, out); },
        [&](const Values& in, Values& out) { return start_allgather(c, in, out); },
        [&](const Values& in, Values& out) { return plan_allgather(c, in, out); });
    const Lengths lengths(c.size());
    const auto& [counts, places, total] = lengths;
    const auto own = counts[static_cast<std::size_t>(c.rank())];
    check(
        "allgatherv", c, own, total,
        [&](const Values& in, Values& out) { allgatherv(c, in, out, counts, places); },
        [&](const Values& in, Values& out) { return start_allgatherv(c, in, out, counts, places); },
        [&](const Values& in, Values& out) { return plan_allgatherv(c, in, out, counts, places); });
  });
}

TEST(StartedAndPlanned, AlltoallAsAlltoallDoes) {
  on_worlds([](Communicator& c) {
    const std::size_t all = block * static_cast<std::size_t>(c.size());
    check(
        "alltoall", c, all, all, [&](const Values& in, Values& out) { alltoall(c, in, out); },
        [&](const Values& in, Values& out) { return start_alltoall(c, in, out); },
        [&](const Values& in, Values& out) { return plan_alltoall(c, in, out); });
    // Rank r sends (r + 2·s) mod 4 elements to rank s.
    std::vector<std::size_t> sent, received;
    for (int peer = 0; peer < c.size(); ++peer) {
      sent.push_back(static_cast<std::size_t>((c.rank() + 2 * peer) % 4));
      received.push_back(static_cast<std::size_t>((peer + 2 * c.rank()) % 4));
    }
    const Blocks sends{sent, {}}, receives{received, {}};
    check(
        "alltoallv", c, std::accumulate(sent.begin(), sent.end(), std::size_t{0}),
        std::accumulate(received.begin(), received.end(), std::size_t{0}),
        [&](const Values& in, Values& out) { alltoallv(c, in, sends, out, receives); },
        [&](const Values& in, Values& out) { return start_alltoallv(c, in, sends, out, receives); },
        [&](const Values& in, Values& out) { return plan_alltoallv(c, in, sends, out, receives); });
  });
}

}  // namespace started_and_planned_test
}  // namespace cuboid::detail
