#include <cuboid/error.hpp>
#include <cuboid/redistribute.hpp>
#include <cuboid/run_ranks.hpp>

#include "mm/matrix/random_element.hpp"
#include "tests/mm/random_case.hpp"

namespace cuboid::detail {
namespace {

using test::CaseSource;

constexpr std::uint64_t source_seed = 7;
constexpr std::uint64_t destination_seed = 8;

template <MatrixElement T>
T element(std::uint64_t seed, Global<Row> i, Global<Column> j) {
  return RandomColumn(seed, j).at<T>(i);
}

/// The element of op(source) at (i, j).
template <MatrixElement T>
T element_of(Op op, Global<Row> i, Global<Column> j) {
  if (op == Op::none) return element<T>(source_seed, i, j);
  const T stored = element<T>(source_seed, j.as<Row>(), i.as<Column>());
  return op == Op::transpose ? stored : conjugate(stored);
}

/// A random block of a random matrix to a random place in another, in messages of a random bound.
template <MatrixElement T>
void redistribute_one(Communicator& communicator, CaseSource& draw) {
  const Op op = draw.op();
  const std::int64_t rows = draw.between(0, 40);
  const std::int64_t columns = draw.between(0, 40);
  const bool whole = draw.between(0, 2) == 0;
  const auto margin = [&] { return whole ? 0 : draw.between(0, 6); };
  const std::int64_t i0 = margin(), j0 = margin(), i1 = margin(), j1 = margin();
  const Layout from = draw.layout(i0 + (op == Op::none ? rows : columns) + margin(),
                                  j0 + (op == Op::none ? columns : rows) + margin(),
                                  draw.grid(communicator.size()));
  const Layout to =
      draw.layout(i1 + rows + margin(), j1 + columns + margin(), draw.grid(communicator.size()));
  const std::int64_t bytes = draw.one_of<std::int64_t>({1, 100, 1000, default_exchange_bytes});

  auto source = test::padded_matrix<T>(communicator, from, draw.between(0, 2));
  auto destination = test::padded_matrix<T>(communicator, to, draw.between(0, 2));
  source.fill_random(source_seed);
  destination.fill_random(destination_seed);
  if (whole) {
    redistribute(op, source, destination, bytes);
  } else {
    const Global<Row> row(i0);
    const Global<Column> column(j0);
    const BlockRange block{{row, row + (op == Op::none ? rows : columns)},
                           {column, column + (op == Op::none ? columns : rows)}};
    redistribute(op, MatrixView<T>::of(source, block),
                 view(destination, Global<Row>(i1), Global<Column>(j1), rows, columns), bytes);
  }

  std::int64_t wrong = 0;
  test::for_each_element(destination, [&](Global<Row> i, Global<Column> j, T value) {
    const bool moved =
        i.value >= i1 && i.value < i1 + rows && j.value >= j1 && j.value < j1 + columns;
    // Where the element lies in op(source), whose block begins at (i0, j0) or, transposed, (j0,
    // i0).
    const Global<Row> row = i - i1 + (op == Op::none ? i0 : j0);
    const Global<Column> column = j - j1 + (op == Op::none ? j0 : i0);
    wrong += value != (moved ? element_of<T>(op, row, column) : element<T>(destination_seed, i, j));
  });
  EXPECT_EQ(wrong, 0) << to_string(from) << " -> " << to_string(to) << ", " << to_string(op)
                      << ", in " << bytes << " bytes, rank " << communicator.rank();
  EXPECT_TRUE(test::padding_untouched(source) && test::padding_untouched(destination));
}

TEST(Redistribute, any_layout_to_any_other_with_any_op) {
  for (const int ranks : {1, 2, 3, 5, 8, 12, 16}) {
    run_ranks(ranks, [](Communicator& communicator) {
      CaseSource draw(static_cast<std::uint32_t>(communicator.size()));
      for (int trial = 0; trial < 25; ++trial) {
        redistribute_one<float>(communicator, draw);
        redistribute_one<double>(communicator, draw);
        redistribute_one<std::complex<float>>(communicator, draw);
        redistribute_one<std::complex<double>>(communicator, draw);
      }
    });
  }
}

TEST(Redistribute, what_stays_is_not_sent) {
  run_ranks(4, [](Communicator& communicator) {
    const Layout layout = Layout::block(50, 70, GridShape(2, 2));
    Matrix<double> source(communicator, layout);
    source.fill_random(source_seed);
    Matrix<double> copied(communicator, layout);
    Matrix<double> transposed(communicator, layout.transposed());
    const Traffic before = communicator.traffic();
    redistribute(Op::none, source, copied);
    EXPECT_EQ((communicator.traffic() - before).bytes_sent, 0u);
    redistribute(Op::transpose, source, transposed);
    EXPECT_LT((communicator.traffic() - before).bytes_sent, 500u);
    test::for_each_element(transposed, [](Global<Row> i, Global<Column> j, double value) {
      EXPECT_EQ(value, element_of<double>(Op::transpose, i, j));
    });
  });
}

TEST(Redistribute, refuses_what_does_not_fit) {
  run_ranks(2, [](Communicator& communicator) {
    const GridShape grid(1, 2);
    Matrix<double> source(communicator, Layout::block(4, 6, grid));
    Matrix<double> destination(communicator, Layout::block(4, 6, grid));
    const auto message = [](const auto& call) -> std::string {
      try {
        call();
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
        return error.what();
      }
      return "no error";
    };
    EXPECT_EQ(message([&] { redistribute(Op::transpose, source, destination); }),
              "redistribute: 4x6 source, op transpose, 4x6 destination: give a destination with "
              "the shape of op(source)");
    EXPECT_NE(message([&] { redistribute(Op::none, source, source); }).find("share memory"),
              std::string::npos);
    EXPECT_EQ(message([&] { view(source, Global<Row>(0), Global<Column>(0), 5, 1); }),
              "block-cyclic distribution: indices 0 to 5 of 4: give a range inside");
    const Communicator other = communicator.duplicate();
    Matrix<double> elsewhere(other, Layout::block(4, 6, grid));
    EXPECT_NE(message([&] { redistribute(Op::none, source, elsewhere); }).find("communicators"),
              std::string::npos);
  });
}

}  // namespace
}  // namespace cuboid::detail
