// Wrong arguments are refused at once, by every rank alike, and all can go on.

#include "tests/collectives/operations/calls.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace cuboid::detail {
namespace arguments_test {

constexpr auto sum = Reduction::Kind::sum;

// Every rank must refuse `call`, and be able to go on.
void require_refusal(const Communicator& c, const std::function<void()>& call,
                     std::initializer_list<std::string> parts) {
  require_error(call, ErrorCode::invalid_argument, parts);
  require_error(call, ErrorCode::invalid_argument, {fmt::format("rank {}", c.rank())});
  barrier(c);
}

TEST(Arguments, RootsOutsideTheGroup) {
  on_worlds([](Communicator& c) {
    std::vector<int> block(1);
    std::vector<int> all(static_cast<std::size_t>(c.size()));
    for (const int root : {-1, c.size(), 1 << 30}) {
      const std::string value = fmt::format("root {}", root);
      const std::string remedy = fmt::format("give 0 to {}", c.size() - 1);
      require_refusal(c, [&] { broadcast(c, block, root); }, {"broadcast", value, remedy});
      require_refusal(c, [&] { reduce(c, block, block, sum, root); }, {"reduce", value, remedy});
      require_refusal(c, [&] { gather(c, block, all, root); }, {"gather", value, remedy});
      require_refusal(c, [&] { scatter(c, all, block, root); }, {"scatter", value, remedy});
    }
  });
}

TEST(Arguments, BuffersWithoutMemoryOrWithMoreThanThereIs) {
  on_worlds(
      [](Communicator& c) {
        using Kind = Datatype::Kind;
        double number = 0;
        constexpr std::size_t most = ~std::size_t{0};
        const auto refused = [&](const std::function<void()>& call, const char* part) {
          require_error(call, ErrorCode::invalid_argument, {part});
          barrier(c);
        };
        refused([&] { broadcast(c, Buffer(nullptr, 5, Kind::int32), 0); }, "nowhere");
        refused(
            [&] {
              allreduce(c, ConstBuffer(nullptr, 1, Kind::int8), Buffer(&number, 1, Kind::int8),
                        sum);
            },
            "nowhere");
        refused([&] { broadcast(c, Buffer(&number, most, Kind::float64), 0); }, "check the count");
        refused([&] { broadcast(c, Buffer(&number, most / 8, Kind::float64), 0); },
                "check the count");
        refused(
            [&] {
              allgather(c, ConstBuffer(&number, std::size_t{1} << 62, Kind::byte),
                        Buffer(&number, 0, Kind::byte));
            },
            "check the count");
        refused([&] { broadcast(c, Buffer(&number, 1, Datatype::user(0)), 0); }, "0 bytes");
        refused([&] { broadcast(c, Buffer(&number, 1, Datatype(Kind::user)), 0); }, "0 bytes");
        broadcast(c, Buffer(nullptr, 0, Kind::int32), 0);
      },
      {2, 3});
}

TEST(Arguments, BuffersThatOverlap) {
  on_worlds(
      [](Communicator& c) {
        const auto ranks = static_cast<std::size_t>(c.size());
        std::vector<int> memory(10 * ranks);
        const std::span<int> all(memory);
        const auto next = static_cast<std::size_t>((c.rank() + 1) % c.size());
        const auto overlap = {std::string("overlap")};
        require_refusal(
            c, [&] { allreduce(c, all.subspan(0, 4), all.subspan(2, 4), sum); }, overlap);
        require_refusal(
            c, [&] { allgather(c, all.subspan(10 * next, 10), all); }, overlap);  // another's place
        require_refusal(
            c, [&] { reduce_scatter(c, all, all.subspan(10 * next, 10), sum); }, overlap);
        require_refusal(
            c, [&] { alltoall(c, all, all); }, overlap);
        if (c.rank() == 0) {
          require_error([&] { reduce(c, all.subspan(0, 4), all.subspan(1, 4), sum, 0); },
                        ErrorCode::invalid_argument, overlap);
          require_error([&] { gather(c, all.subspan(10, 10), all, 0); },
                        ErrorCode::invalid_argument, overlap);
          require_error([&] { scatter(c, all, all.subspan(5, 10), 0); },
                        ErrorCode::invalid_argument, overlap);
        }
        barrier(c);
      },
      {2, 3, 8});
}

TEST(Arguments, CountsThatDoNotFit) {
  on_worlds([](Communicator& c) {
    const auto ranks = static_cast<std::size_t>(c.size());
    std::vector<int> four(4);
    std::vector<int> five(5);
    std::vector<int> all(4 * ranks + 1);
    require_refusal(c, [&] { allreduce(c, four, five, sum); }, {"5 elements", "4 are needed"});
    require_refusal(c, [&] { allgather(c, four, all); }, {"output", fmt::format("{}", 4 * ranks)});
    require_refusal(c, [&] { reduce_scatter(c, all, four, sum); },
                    {"input", fmt::format("{}", 4 * ranks)});
    std::vector<int> same(all.size());
    std::vector<int> others(all.size() + 1);
    require_refusal(c, [&] { alltoall(c, all, others); }, {"output"});
    if (c.size() > 1 && all.size() % ranks != 0)
      require_refusal(c, [&] { alltoall(c, all, same); }, {"input", "alltoallv"});
  });
}

TEST(Arguments, BlocksThatLeaveTheBuffer) {
  on_worlds([](Communicator& c) {
    const auto ranks = static_cast<std::size_t>(c.size());
    const std::vector<std::size_t> counts(ranks, 4);
    std::vector<int> block(4);
    std::vector<int> short_by_one(4 * ranks - 1);
    require_refusal(c, [&] { allgatherv(c, block, short_by_one, counts); },
                    {fmt::format("the block of rank {}", c.size() - 1), "exceeds the buffer"});
    std::vector<std::size_t> far(ranks, 0);
    far.front() = ~std::size_t{0};  // wraps round when added to a count
    require_refusal(c, [&] { allgatherv(c, block, short_by_one, counts, far); },
                    {"the block of rank 0", "exceeds the buffer"});
    const std::vector<std::size_t> too_few(ranks - 1, 4);
    require_refusal(c, [&] { allgatherv(c, block, short_by_one, too_few); },
                    {fmt::format("{} counts", ranks - 1), "one per rank"});
  });
}

TEST(Arguments, TypesThatDiffer) {
  on_worlds([](Communicator& c) {
    std::vector<int> integers(4);
    std::vector<float> floats(4);
    require_refusal(c, [&] { allreduce(c, integers, floats, sum); }, {"int32", "float32"});
    integers.resize(static_cast<std::size_t>(c.size()));
    floats.resize(integers.size());
    require_refusal(c, [&] { alltoall(c, integers, floats); }, {"int32", "float32"});
  });
}

TEST(Arguments, ReductionsThatAreNotDefined) {
  on_worlds([](Communicator& c) {
    std::vector<std::complex<double>> numbers(4);
    std::vector<std::byte> bytes(4);
    require_refusal(c, [&] { allreduce(c, numbers, numbers, Reduction::Kind::maximum); },
                    {"maximum", "complex128", "Reduction::user"});
    require_refusal(c, [&] { reduce(c, bytes, bytes, sum, 0); }, {"sum", "byte"});
    std::vector<float> block(4);
    std::vector<float> all(4 * static_cast<std::size_t>(c.size()));
    require_refusal(c, [&] { reduce_scatter(c, all, block, Reduction::Kind::bitwise_or); },
                    {"bitwise or", "float32"});
  });
}

}  // namespace arguments_test
}  // namespace cuboid::detail
