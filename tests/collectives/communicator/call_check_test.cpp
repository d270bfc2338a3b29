// CUBOID_CHECK=collective: calls that differ between ranks are named, and nothing is started.

#include <cuboid/collectives.hpp>

#include "tests/collectives/operations/calls.hpp"

#include <mutex>
#include <vector>

namespace cuboid::detail {
namespace call_check_test {

constexpr auto sum = Reduction::Kind::sum;

Environment checking() {
  Environment environment = Environment::read();
  environment.check = CheckLevel::collective;
  return environment;
}

// Every rank must throw an error with all `parts`, and be able to go on.
void require_mismatch(const Communicator& c, const std::function<void()>& call,
                      std::initializer_list<std::string> parts) {
  require_error(call, ErrorCode::mismatch, parts);
  require_error(call, ErrorCode::mismatch, {fmt::format("rank {}:", c.rank())});
  check_allreduce<double>(c, 10, sum, InPlace::no, 1);
}

void on_checking_worlds(const std::function<void(Communicator&)>& body,
                        std::initializer_list<int> sizes = {2, 3, 5, 8}) {
  for (const int ranks : sizes) {
    try {
      run_ranks(ranks, body, checking());
    } catch (const std::exception& error) {
      ADD_FAILURE() << ranks << " ranks: " << error.what();
    }
  }
}

TEST(CallCheck, LetsEqualCallsPass) {
  on_checking_worlds(
      [](Communicator& c) {
        check_allreduce<float>(c, 100, sum, InPlace::yes, 1);
        check_broadcast<int>(c, 5000, c.size() - 1, 2);
        check_reduce<int>(c, 50, 0, sum, InPlace::yes, 3);
        check_allgather<double>(c, 7, InPlace::yes, 4);
        check_allgatherv<int>(c, BlockLayout::uneven(c.size(), 20, 3), InPlace::no, 5);
        check_gatherv<int>(c, BlockLayout::uneven(c.size(), 20, 3), 0, InPlace::no, 6);
        check_scatterv<int>(c, BlockLayout::uneven(c.size(), 20, 3), c.size() - 1, InPlace::no, 7);
        check_reduce_scatterv<int>(c, BlockLayout::uneven(c.size(), 20, 0), sum, InPlace::no, 8);
        check_alltoallv<int>(c, 30, 2, 9);
        barrier(c);
        check_allreduce<double>(c.split(c.rank() % 2), 20, sum, InPlace::no, 10);
      },
      {1, 2, 3, 5, 8});
}

TEST(CallCheck, NamesTheRankThatDiffersInTheCount) {
  on_checking_worlds(
      [](Communicator& c) {
        std::vector<double> data(c.rank() == 1 ? 1001 : 1000);
        require_mismatch(c, [&] { allreduce(c, data, data, sum); },
                         {"rank 1 calls allreduce of 1001 float64, sum",
                          "rank 0 calls allreduce of 1000 float64, sum", "the count differs"});
      },
      {3, 5, 8});
}

TEST(CallCheck, NamesRootTypeReductionAndOperation) {
  on_checking_worlds([](Communicator& c) {
    std::vector<double> data(10);
    std::vector<float> floats(20);
    const int last = c.size() - 1;
    const bool odd_one = c.rank() == last;
    const std::string culprit = c.size() > 2 ? fmt::format("rank {} calls", last) : "rank";
    require_mismatch(c, [&] { broadcast(c, data, odd_one ? 1 : 0); },
                     {culprit, "root 1", "root 0", "the root differs"});
    const auto other_type = [&] {
      if (odd_one) {
        broadcast(c, floats, 0);
      } else {
        broadcast(c, data, 0);
      }
    };
    require_mismatch(c, other_type, {culprit, "float32", "float64", "the type differs"});
    const auto reduction = odd_one ? Reduction::Kind::maximum : sum;
    require_mismatch(c, [&] { allreduce(c, data, data, reduction); },
                     {culprit, "maximum", "sum", "the reduction differs"});
    const auto other_operation = [&] {
      if (odd_one) {
        barrier(c);
      } else {
        broadcast(c, data, 0);
      }
    };
    require_mismatch(c, other_operation, {culprit, "calls barrier", "the operation differs"});
  });
}

TEST(CallCheck, NamesBlocksOfTwoLengths) {
  on_checking_worlds([](Communicator& c) {
    const auto ranks = static_cast<std::size_t>(c.size());
    const bool odd_one = c.rank() == 1;
    std::vector<int> block(odd_one ? 5 : 4);
    std::vector<int> all(4 * ranks);
    require_mismatch(c, [&] { gather(c, block, all, 0); },
                     {"gather", "rank 1 sends 5 elements to rank 0, which expects 4"});
    require_mismatch(c, [&] { scatter(c, all, block, 0); },
                     {"scatter", "rank 0 sends 4 elements to rank 1, which expects 5"});
    std::vector<std::size_t> counts(ranks, 1);
    if (odd_one) counts[0] = 2;
    std::vector<int> received(2 * ranks);
    const std::vector<std::size_t> ones(ranks, 1);
    require_mismatch(c, [&] { alltoallv(c, all, {counts}, received, {ones}); },
                     {"alltoall", "rank 1 sends 2 elements to rank 0, which expects 1"});
    std::vector<std::size_t> uneven(ranks, 4);
    if (odd_one) {
      uneven.front() = 3;
      uneven.back() = 5;
    }
    std::vector<int> own(uneven[static_cast<std::size_t>(c.rank())]);
    require_mismatch(c, [&] { allgatherv(c, own, all, uneven); },
                     {"allgather", "the lengths of the blocks differ"});
  });
}

TEST(CallCheck, ComparesPlansWheneverTheyStart) {
  on_checking_worlds([](Communicator& c) {
    std::vector<double> data(c.rank() == 0 ? 10 : 11);
    CollectivePlan plan = plan_broadcast(c, data, 0);
    require_mismatch(c, [&] { plan.run(); }, {"broadcast", "the count differs"});
  });
}

}  // namespace call_check_test
}  // namespace cuboid::detail
