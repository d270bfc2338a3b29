#include <cuboid/collectives.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/matrix.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/matrix/process_grid.hpp"
#include "mm/matrix/random_element.hpp"
#include "tests/mm/random_case.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

// Sanitizers end the program where memory is refused unless told to refuse as malloc does.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}
extern "C" const char* __tsan_default_options() {
  return "allocator_may_return_null=1";
}

namespace cuboid::detail {
namespace matrix_test {

TEST(Matrix, fill_gives_every_element_its_global_place) {
  run_ranks(6, [](Communicator& communicator) {
    const Layout layout = Layout::block_cyclic(23, 17, 3, 2, GridShape(2, 2), {1, 0});
    auto matrix = test::padded_matrix<double>(communicator, layout, 3);
    matrix.fill([](Global<Row> i, Global<Column> j) {
      return static_cast<double>(1000 * i.value + j.value);
    });
    test::for_each_element(matrix, [](Global<Row> i, Global<Column> j, double value) {
      EXPECT_EQ(value, static_cast<double>(1000 * i.value + j.value));
    });
    EXPECT_TRUE(test::padding_untouched(matrix));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(matrix.data()) % 64, 0u);
    if (communicator.rank() >= 4) {
      EXPECT_FALSE(matrix.position());
      EXPECT_EQ(matrix.local_rows() + matrix.local_columns(), 0);
    }
  });
}

TEST(Matrix, random_elements_do_not_depend_on_the_layout) {
  run_ranks(3, [](Communicator& communicator) {
    for (const Layout& layout : {Layout::single(31, 29), Layout::block(31, 29, GridShape(3, 1)),
                                 Layout::block_cyclic(31, 29, 2, 5, GridShape(1, 3))}) {
      Matrix<std::complex<float>> matrix(communicator, layout);
      matrix.fill_random(42);
      test::for_each_element(matrix, [](Global<Row> i, Global<Column> j, auto value) {
        EXPECT_EQ(value, RandomColumn(42, j).at<std::complex<float>>(i));
      });
    }
  });
}

TEST(Matrix, random_elements_are_uniform_and_uncorrelated) {
  constexpr int n = 300;
  double sum = 0, squares = 0, along_rows = 0, along_columns = 0, across_seeds = 0;
  const auto element = [](std::uint64_t seed, int i, int j) {
    return RandomColumn(seed, Global<Column>(j)).at<double>(Global<Row>(i));
  };
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      const double value = element(1, i, j);
      ASSERT_GE(value, -1);
      ASSERT_LT(value, 1);
      sum += value;
      squares += value * value;
      along_rows += value * element(1, i, j + 1);
      along_columns += value * element(1, i + 1, j);
      across_seeds += value * element(2, i, j);
    }
  }
  // Means of n² values: six standard deviations.
  const double samples = n * n;
  EXPECT_LT(std::abs(sum) / samples, 6 / std::sqrt(3 * samples));
  EXPECT_LT(std::abs(squares / samples - 1.0 / 3), 6 * 0.3 / std::sqrt(samples));
  for (const double products : {along_rows, along_columns, across_seeds}) {
    EXPECT_LT(std::abs(products) / samples, 6 / (3 * std::sqrt(samples)));
  }
}

TEST(Matrix, refuses_with_one_clear_line) {
  run_ranks(2, [](Communicator& communicator) {
    const auto error_of = [](const auto& call) {
      try {
        call();
      } catch (const Error& error) {
        return error;
      }
      return Error(ErrorCode::internal, "no error");
    };
    const Error grid =
        error_of([&] { Matrix<double>(communicator, Layout::block(4, 4, GridShape(2, 2))); });
    EXPECT_EQ(grid.code(), ErrorCode::invalid_argument);
    const Error leading =
        error_of([&] { Matrix<double>(communicator, Layout::block(8, 4, GridShape(1, 2)), 7); });
    EXPECT_EQ(leading.code(), ErrorCode::invalid_argument);
    EXPECT_NE(std::string(leading.what()).find("leading dimension 7"), std::string::npos);
    const Error memory = error_of(
        [&] { Matrix<double>(communicator, Layout::block(1 << 24, 1 << 24, GridShape(1, 2))); });
    EXPECT_EQ(memory.code(), ErrorCode::out_of_memory);
    EXPECT_NE(std::string(memory.what()).find("1125899906842624 bytes"), std::string::npos)
        << memory.what();
    const Error overflow = error_of([&] {
      Matrix<double>(communicator,
                     Layout::block(std::int64_t{1} << 40, std::int64_t{1} << 40, GridShape(1, 2)));
    });
    EXPECT_EQ(overflow.code(), ErrorCode::out_of_memory);
    EXPECT_EQ(error_of([&] { ProcessGrid(communicator, GridShape(3, 1)); }).code(),
              ErrorCode::invalid_argument);
  });
}

TEST(Agreed, one_ranks_error_is_everybodys) {
  run_ranks(3, [](Communicator& communicator) {
    EXPECT_EQ(collective_try(communicator, [&] { return communicator.rank() * 2; }),
              communicator.rank() * 2);
    try {
      collective_try(communicator, [&]() -> int {
        if (communicator.rank() == 1) throw Error(ErrorCode::out_of_memory, "rank 1 is full");
        return 0;
      });
      ADD_FAILURE() << "no error on rank " << communicator.rank();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
      EXPECT_STREQ(error.what(), "rank 1 is full");
    }
  });
}

TEST(ProcessGrid, rows_and_columns_are_numbered_by_the_other) {
  run_ranks(7, [](Communicator& communicator) {
    for (const GridOrder order : {GridOrder::row_major, GridOrder::column_major}) {
      const ProcessGrid grid(communicator, GridShape(2, 3, order));
      const auto here = grid.position();
      EXPECT_EQ(here.has_value(), communicator.rank() < 6);
      EXPECT_EQ(grid.row().valid(), here.has_value());
      if (!here) continue;
      EXPECT_EQ(grid.row().size(), 3);
      EXPECT_EQ(grid.row().rank(), here->column);
      EXPECT_EQ(grid.column().size(), 2);
      EXPECT_EQ(grid.column().rank(), here->row);
    }
  });
}

TEST(Matrix, in_shared_memory_is_read_by_others) {
  run_ranks(5, [](Communicator& communicator) {
    const Layout layout = Layout::block(7, 9, GridShape(2, 2));  // one rank has nothing
    auto made = Matrix<double>::shared(communicator, layout);
    const Matrix<double> matrix = std::move(made);
    ASSERT_TRUE(matrix.is_readable_on_node());
    EXPECT_EQ(matrix.leading_dimension(), std::max<std::int64_t>(matrix.local_rows(), 1));
  });
  run_ranks(4, [](Communicator& communicator) {
    const Layout layout = Layout::block(7, 9, GridShape(2, 2));
    auto matrix = Matrix<double>::shared(communicator, layout);
    matrix.fill([](Global<Row> i, Global<Column> j) { return 100 * i.value + j.value; });
    barrier(communicator);
    for (std::int64_t i = 0; i < 7; ++i) {
      for (std::int64_t j = 0; j < 9; ++j) {
        const int owner = layout.owner(Global<Row>(i), Global<Column>(j));
        const std::int64_t at =
            layout.rows().local(Global<Row>(i)).value +
            layout.columns().local(Global<Column>(j)).value * layout.local_rows(owner);
        EXPECT_EQ(matrix.part(owner)[at], static_cast<double>(100 * i + j));
      }
    }
    barrier(communicator);
  });
  run_ranks(1, [](Communicator& communicator) {
    EXPECT_FALSE(Matrix<double>(communicator, Layout::single(2, 2)).is_readable_on_node());
  });
}

}  // namespace matrix_test
}  // namespace cuboid::detail
