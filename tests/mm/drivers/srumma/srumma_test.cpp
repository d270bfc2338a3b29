#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>

#include "mm/drivers/srumma/srumma_multiplication.hpp"
#include "tests/mm/random_products.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <set>
#include <vector>

namespace cuboid::detail {
namespace srumma_test {

using test::CaseSource;
using test::Product;
using test::seed_a;
using test::seed_b;
using test::seed_c;

TEST(SrummaTasks, cover_the_inner_dimension_with_one_owner_each) {
  CaseSource draw(1);
  for (int one = 0; one < 500; ++one) {
    const std::int64_t k = draw.between(0, 300);
    const auto distribution = [&] {
      const int processes = static_cast<int>(draw.between(1, 7));
      return BlockCyclic<Inner>(k, draw.between(1, 100), processes,
                                static_cast<int>(draw.between(0, processes - 1)));
    };
    const auto a = distribution(), b = distribution();
    const std::int64_t widest = draw.between(1, 64);
    Global<Inner> next(0);
    for (const SrummaTask& task : cut_srumma_tasks(a, b, widest)) {
      EXPECT_EQ(task.inner.begin, next);
      EXPECT_GT(task.inner.extent(), 0);
      EXPECT_LE(task.inner.extent(), widest);
      EXPECT_GE(a.run_end(task.inner.begin), task.inner.end);
      EXPECT_GE(b.run_end(task.inner.begin), task.inner.end);
      EXPECT_EQ(task.a_owner, a.owner(task.inner.begin));
      EXPECT_EQ(task.b_owner, b.owner(task.inner.begin));
      next = task.inner.end;
    }
    EXPECT_EQ(next.value, k);
  }
}

TEST(SrummaTasks, begin_on_the_diagonal_so_that_no_owner_is_asked_by_two) {
  for (int q = 1; q <= 6; ++q) {
    const auto blocks = BlockCyclic<Inner>::blocks(12 * q, q);
    const auto tasks = cut_srumma_tasks(blocks, blocks, 12);
    const std::vector<bool> none(static_cast<std::size_t>(q), false);
    std::vector<std::vector<std::size_t>> orders;
    for (int row = 0; row < q; ++row) {
      for (int column = 0; column < q; ++column) {
        orders.push_back(order_srumma_tasks(tasks, row, column, {none, none}));
      }
    }
    const auto task = [&](int row, int column, int step) {
      return tasks[orders[static_cast<std::size_t>(row * q + column)]
                         [static_cast<std::size_t>(step)]];
    };
    for (int step = 0; step < q; ++step) {
      for (int line = 0; line < q; ++line) {
        std::vector<int> asked_for_a, asked_for_b;
        for (int at = 0; at < q; ++at) {
          asked_for_a.push_back(task(line, at, step).a_owner);
          asked_for_b.push_back(task(at, line, step).b_owner);
        }
        for (auto* asked : {&asked_for_a, &asked_for_b}) {
          std::sort(asked->begin(), asked->end());
          EXPECT_EQ(std::adjacent_find(asked->begin(), asked->end()), asked->end());
        }
      }
    }
  }
}

// Of those that are fetched at once, as many of each owner, and no two ranks ask alike.
TEST(SrummaTasks, take_turns_between_owners) {
  for (const GridShape& grid : {GridShape(4, 4), GridShape(2, 8), GridShape(8, 2)}) {
    const auto tasks = cut_srumma_tasks(BlockCyclic<Inner>::blocks(96, grid.columns()),
                                        BlockCyclic<Inner>::blocks(96, grid.rows()), 3);
    const DirectBlocks none{std::vector<bool>(static_cast<std::size_t>(grid.columns())),
                            std::vector<bool>(static_cast<std::size_t>(grid.rows()))};
    const auto longer = static_cast<std::size_t>(std::max(grid.rows(), grid.columns()));
    const auto shorter = static_cast<std::size_t>(std::min(grid.rows(), grid.columns()));
    for (int row = 0; row < grid.rows(); ++row) {
      for (int column = 0; column < grid.columns(); ++column) {
        const auto order = order_srumma_tasks(tasks, row, column, none);
        for (std::size_t begin = 0; begin < order.size(); begin += shorter) {
          std::set<int> a_owners, b_owners;
          for (std::size_t step = begin; step < begin + shorter; ++step) {
            a_owners.insert(tasks[order[step]].a_owner);
            b_owners.insert(tasks[order[step]].b_owner);
          }
          EXPECT_EQ(a_owners.size(), shorter);
          EXPECT_EQ(b_owners.size(), shorter);
        }
      }
    }
    // Each rank of a longer line begins with another owner.
    std::set<int> first_owners;
    for (std::size_t at = 0; at < longer; ++at) {
      const int place = static_cast<int>(at);
      const bool wide = grid.columns() >= grid.rows();
      const auto order = order_srumma_tasks(tasks, wide ? 0 : place, wide ? place : 0, none);
      const SrummaTask& first = tasks[order.front()];
      first_owners.insert(wide ? first.a_owner : first.b_owner);
    }
    EXPECT_EQ(first_owners.size(), longer);
  }
}

// Also where each rank has its own blocks, and some tasks so need one message and others two: no
// rank is asked by a whole line at once.
TEST(SrummaTasks, ask_all_ranks_of_a_line_alike) {
  const auto inner = BlockCyclic<Inner>::blocks(96, 4);
  const auto tasks = cut_srumma_tasks(inner, inner, 6);
  constexpr std::size_t at_once = 8;
  for (int row = 0; row < 4; ++row) {
    std::vector<int> asked(4);  // by the first tasks of the row's ranks, for blocks of A
    for (int column = 0; column < 4; ++column) {
      DirectBlocks own{std::vector<bool>(4), std::vector<bool>(4)};
      own.a[static_cast<std::size_t>(column)] = own.b[static_cast<std::size_t>(row)] = true;
      const auto order = order_srumma_tasks(tasks, row, column, own);
      for (std::size_t step = 0; step < at_once; ++step) {
        const SrummaTask& task = tasks[order[step]];
        if (task.a_owner != column) ++asked[static_cast<std::size_t>(task.a_owner)];
      }
    }
    EXPECT_LE(std::ranges::max(asked), std::ranges::min(asked) + 2);
  }
}

TEST(SrummaTasks, that_need_no_message_come_first) {
  const auto a = BlockCyclic<Inner>::blocks(60, 4);
  const auto b = BlockCyclic<Inner>::blocks(60, 3);
  const auto tasks = cut_srumma_tasks(a, b, 4);
  const DirectBlocks direct{{true, true, false, false}, {false, true, true}};
  const auto order = order_srumma_tasks(tasks, 1, 2, direct);
  ASSERT_EQ(order.size(), tasks.size());
  bool some_before = false;
  for (const std::size_t task : order) {
    const bool none = direct.a[static_cast<std::size_t>(tasks[task].a_owner)] &&
                      direct.b[static_cast<std::size_t>(tasks[task].b_owner)];
    EXPECT_FALSE(none && some_before);
    some_before = !none;
  }
  auto sorted = order;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());
}

template <MatrixElement T>
void multiply_one(const Communicator& communicator, const LocalGemm& gemm, CaseSource& draw,
                  Op op_a, Op op_b) {
  const auto product = test::any_product<T>(draw, op_a, op_b);
  const std::int64_t m = product.m, n = product.n, k = product.k;
  const int ranks = communicator.size();
  const GridShape grid = draw.grid(ranks);
  const auto shared = draw.one_of<SharedBlocks>({SharedBlocks::in_place, SharedBlocks::fetched});
  const auto gets = draw.one_of<Gets>({Gets::ahead, Gets::by_arrival, Gets::blocking});
  const auto stored = [&](Op op, std::int64_t rows, std::int64_t columns) {
    const GridShape on = draw.between(0, 1) == 0 ? grid : draw.grid(ranks);
    const Layout layout =
        draw.between(0, 1) == 0 ? Layout::block(rows, columns, on) : draw.layout(rows, columns, on);
    return test::padded_matrix<T>(communicator, applied(op, layout), draw.between(0, 2));
  };
  auto A = stored(op_a, m, k);
  auto B = stored(op_b, k, n);
  auto C = stored(Op::none, m, n);
  A.fill_random(seed_a);
  B.fill_random(seed_b);
  SrummaMultiplication<T> multiplication(
      communicator, grid, {A.layout(), op_a, B.layout(), op_b, C.layout()}, shared, gets);
  test::expect_right_again_and_again<T>(
      multiplication, product, A, B, C, gemm,
      fmt::format("on {}{}{}", to_string(grid),
                  shared == SharedBlocks::in_place ? ", in place" : ", fetched",
                  gets == Gets::ahead        ? ""
                  : gets == Gets::by_arrival ? ", by arrival"
                                             : ", blocking"));
}

class SrummaOnRanks : public testing::TestWithParam<int> {};

TEST_P(SrummaOnRanks, agrees_with_sums_written_out) {
  test::for_every_type_and_op(GetParam(), 200,
                              []<class T>(auto&&... arguments) { multiply_one<T>(arguments...); });
}

INSTANTIATE_TEST_SUITE_P(Ranks, SrummaOnRanks, test::rank_counts);

/// Bytes of double that each rank receives in one multiplication on blocks of a grid.
std::vector<std::uint64_t> bytes_received(const ProductSize& size, const GridShape& grid,
                                          SharedBlocks shared) {
  std::vector<std::uint64_t> received(static_cast<std::size_t>(grid.size()));
  run_ranks(grid.size(), [&](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
    Matrix<double> A(communicator, Layout::block(size.m, size.k, grid));
    Matrix<double> B(communicator, Layout::block(size.k, size.n, grid));
    Matrix<double> C(communicator, Layout::block(size.m, size.n, grid));
    A.fill_random(seed_a);
    B.fill_random(seed_b);
    SrummaMultiplication<double> multiplication(
        communicator, grid, {A.layout(), Op::none, B.layout(), Op::none, C.layout()}, shared);
    multiplication.run(1.0, A, B, 0.0, C, gemm);  // makes windows
    const Traffic before = communicator.traffic();
    multiplication.run(1.0, A, B, 0.0, C, gemm);
    received[static_cast<std::size_t>(communicator.rank())] =
        (communicator.traffic() - before).bytes_received;
  });
  return received;
}

TEST(Srumma, fetches_what_others_own_of_its_rows_and_columns_and_nothing_in_place) {
  const ProductSize size{96, 120, 144};
  for (const GridShape& grid : {GridShape(2, 2), GridShape(2, 3), GridShape(4, 2)}) {
    const auto P = static_cast<std::uint64_t>(grid.rows());
    const auto Q = static_cast<std::uint64_t>(grid.columns());
    const std::uint64_t foretold =
        sizeof(double) * (96 / P * (144 - 144 / Q) + 120 / Q * (144 - 144 / P));
    for (const std::uint64_t bytes : bytes_received(size, grid, SharedBlocks::fetched)) {
      EXPECT_GE(bytes, foretold) << to_string(grid);
      EXPECT_LE(bytes, foretold + 1024) << to_string(grid);  // barriers
    }
    for (const std::uint64_t bytes : bytes_received(size, grid, SharedBlocks::in_place)) {
      EXPECT_LE(bytes, 1024U) << to_string(grid);
    }
  }
}

TEST(Srumma, copies_nothing_that_is_in_shared_memory) {
  const std::int64_t m = 96, n = 120, k = 144;
  for (const GridShape& grid :
       {GridShape(1, 1), GridShape(2, 2), GridShape(2, 3), GridShape(1, 5)}) {
    for (const Op op : {Op::none, Op::transpose}) {
      run_ranks(grid.size() + 1, [&](Communicator& communicator) {  // one stays outside
        const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
        const Layout a = applied(op, Layout::block(m, k, grid));
        const Layout b = applied(op, Layout::block(k, n, grid));
        auto A = Matrix<double>::shared(communicator, a),
             B = Matrix<double>::shared(communicator, b);
        Matrix<double> plain_a(communicator, a);
        Matrix<double> C(communicator, Layout::block(m, n, grid));
        ASSERT_TRUE(A.is_readable_on_node());
        A.fill_random(seed_a);
        B.fill_random(seed_b);
        plain_a.fill_random(seed_a);
        SrummaMultiplication<double> multiplication(communicator, grid, {a, op, b, op, C.layout()});
        const Product<double> product{m, n, k, op, op, 1.0, 0.0};
        const auto run = [&](const Matrix<double>& left) {
          C.fill([](auto, auto) { return std::numeric_limits<double>::quiet_NaN(); });
          multiplication.run(1.0, left, B, 0.0, C, gemm);
          EXPECT_EQ(wrong_elements(product, C), 0) << to_string(grid) << " " << to_string(op);
        };
        run(A);
        run(A);
        EXPECT_EQ(multiplication.bytes_copied(), 0U);
        // A matrix of its own is copied, and one in shared memory after it is not.
        run(plain_a);
        const std::uint64_t share =
            sizeof(double) *
            static_cast<std::uint64_t>(plain_a.local_rows() * plain_a.local_columns());
        const std::uint64_t copied = grid.columns() > 1 ? share : 0;
        EXPECT_EQ(multiplication.bytes_copied(), copied);
        run(A);
        EXPECT_EQ(multiplication.bytes_copied(), copied);
      });
    }
  }
}

TEST(Srumma, copies_nothing_of_what_it_has_redistributed) {
  run_ranks(6, [](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
    const GridShape grid(2, 3);
    Matrix<double> A(communicator, Layout::single(40, 50)), B(communicator, Layout::single(50, 60));
    Matrix<double> C(communicator, Layout::block(40, 60, grid));
    A.fill_random(seed_a);
    B.fill_random(seed_b);
    SrummaMultiplication<double> multiplication(
        communicator, grid, {A.layout(), Op::none, B.layout(), Op::none, C.layout()});
    multiplication.run(1.0, A, B, 0.0, C, gemm);
    EXPECT_EQ(wrong_elements(Product<double>{40, 60, 50, Op::none, Op::none, 1.0, 0.0}, C), 0);
    EXPECT_EQ(multiplication.bytes_copied(), 0U);
  });
}

TEST(Srumma, refuses_a_grid_of_too_many_ranks) {
  run_ranks(2, [](Communicator& communicator) {
    const ProductLayouts product{Layout::single(4, 6), Op::none, Layout::single(6, 5), Op::none,
                                 Layout::single(4, 5)};
    EXPECT_THROW(SrummaMultiplication<double>(communicator, GridShape(3, 1), product), Error);
  });
}

}  // namespace srumma_test
}  // namespace cuboid::detail
