#pragma once

// What the tests of files share: a folder per test, matrices whose elements are all different, and
// errors that every rank must get.

#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/matrix_files.hpp>

#include <complex>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace cuboid::detail {

namespace fs = std::filesystem;

/// A folder of its own for every test, removed afterwards.
class MatrixFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "cuboid-files-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write_text(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      result.push_back(entry.path().filename().string());
    }
    return result;
  }

  fs::path folder_;
};

inline std::string text_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// What element (i, j) of the test matrices is: different everywhere, exact in every type.
template <class T>
T value_at(std::int64_t i, std::int64_t j) {
  const auto real = static_cast<RealOf<T>>(1000 * (i + 1) + j);
  if constexpr (is_complex<T>) {
    return {real, -real / 2};
  } else {
    return real;
  }
}

template <class T>
void expect_values(const Matrix<T>& matrix) {
  const auto here = matrix.position();
  for (Local<Column> j; j.value < matrix.local_columns(); ++j) {
    for (Local<Row> i; i.value < matrix.local_rows(); ++i) {
      const auto row = matrix.layout().rows().global(here->row, i);
      const auto column = matrix.layout().columns().global(here->column, j);
      ASSERT_EQ(matrix(i, j), value_at<T>(row.value, column.value))
          << to_string(matrix.layout()) << " at " << row.value << "," << column.value;
    }
  }
}

inline std::vector<Layout> layouts(std::int64_t m, std::int64_t n, int ranks) {
  const GridShape grid = choose_grid(ranks);
  return {Layout::block(m, n, grid),
          Layout::block(m, n, grid.transposed()),
          Layout::block_cyclic(m, n, 3, 2, grid),
          Layout::block_cyclic(m, n, 1, 1, grid),
          Layout::block_cyclic(m, n, 4, 16, grid, {grid.rows() - 1, grid.columns() - 1}),
          Layout::single(m, n)};
}

/// Writes and reads back a matrix in every layout, on several numbers of ranks.
template <class T>
void expect_round_trip(const std::string& path, std::int64_t m, std::int64_t n,
                       ElementOrder order) {
  for (const int ranks : {1, 2, 3, 5}) {
    run_ranks(ranks, [&](const Communicator& communicator) {
      for (const Layout& layout : layouts(m, n, ranks)) {
        Matrix<T> written(communicator, layout, layout.local_rows(communicator.rank()) + 2);
        written.fill([](Global<Row> i, Global<Column> j) { return value_at<T>(i.value, j.value); });
        write_matrix(path, written, order);
        for (const Layout& other : layouts(m, n, ranks)) {
          expect_values(read_matrix<T>(path, other, communicator));
        }
      }
    });
  }
}

/// The message of the Error that every rank must get.
inline std::string refusal_on(int ranks, ErrorCode code,
                              const std::function<void(const Communicator&)>& body) {
  std::mutex mutex;
  std::vector<std::string> messages;
  run_ranks(ranks, [&](const Communicator& communicator) {
    try {
      body(communicator);
    } catch (const Error& error) {
      const std::lock_guard lock(mutex);
      EXPECT_EQ(error.code(), code) << error.what();
      messages.push_back(error.what());
    }
  });
  EXPECT_EQ(messages.size(), static_cast<std::size_t>(ranks)) << "not refused by every rank";
  if (messages.empty()) return {};
  for (const std::string& message : messages) EXPECT_EQ(message, messages.front());
  EXPECT_EQ(messages.front().find('\n'), std::string::npos) << messages.front();
  return messages.front();
}

inline void expect_mentions(const std::string& message, std::initializer_list<std::string> parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << message << "\n  lacks: " << part;
  }
}

}  // namespace cuboid::detail
