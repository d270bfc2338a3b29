#include "mm/hdf5/hdf5_elements.hpp"
#include "mm/hdf5/hdf5_library.hpp"
#include "tests/mm/files/files_of_tests.hpp"

#include <array>
#include <numeric>

namespace cuboid::detail {
namespace {

class Hdf5Files : public MatrixFiles {};

/// A file as other programs make it: a dataset of such extents, filled with 0, 1, 2, …, in chunks
/// and big-endian where `chunk` is given.
void make_foreign(const std::string& file, std::array<hsize_t, 2> extents, hsize_t chunk) {
  const Hdf5Library& hdf5 = Hdf5Library::get();
  const Hdf5Turn turn(hdf5);
  const SharedLibrary library(CUBOID_HDF5_LIBRARY);
  auto* const set_chunk = library.find<decltype(::H5Pset_chunk)>("H5Pset_chunk");
  auto* const write = library.find<decltype(::H5Dwrite)>("H5Dwrite");
  const hid_t big_endian = *library.find<hid_t>("H5T_IEEE_F64BE_g");
  const Hdf5Handle opened(hdf5.Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                          hdf5.Fclose);
  const Hdf5Handle space(hdf5.Screate_simple(2, extents.data(), nullptr), hdf5.Sclose);
  const Hdf5Handle storage(hdf5.Pcreate(hdf5.dataset_creation), hdf5.Pclose);
  const std::array<hsize_t, 2> chunks = {chunk, chunk + 1};
  if (chunk > 0) set_chunk(storage.get(), 2, chunks.data());
  const Hdf5Handle dataset(
      hdf5.Dcreate2(opened.get(), "/A", chunk > 0 ? big_endian : hdf5.native_double, space.get(),
                    H5P_DEFAULT, storage.get(), H5P_DEFAULT),
      hdf5.Dclose);
  std::vector<double> values(extents[0] * extents[1]);
  std::iota(values.begin(), values.end(), 0);
  ASSERT_GE(write(dataset.get(), hdf5.native_double, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
            0);
}

void expect_counted(const Matrix<double>& matrix) {
  const auto here = matrix.position();
  for (Local<Column> j; j.value < matrix.local_columns(); ++j) {
    for (Local<Row> i; i.value < matrix.local_rows(); ++i) {
      const auto row = matrix.layout().rows().global(here->row, i);
      const auto column = matrix.layout().columns().global(here->column, j);
      ASSERT_EQ(matrix(i, j), static_cast<double>(row.value * matrix.n() + column.value));
    }
  }
}

TEST_F(Hdf5Files, RoundTripInEveryType) {
  // All in one file, which keeps them all.
  expect_round_trip<float>(path("a.h5:/s"), 13, 29, ElementOrder::row_major);
  expect_round_trip<double>(path("a.h5:/deep/group/d"), 13, 29, ElementOrder::column_major);
  expect_round_trip<std::complex<float>>(path("a.h5:/deep/c"), 7, 3, ElementOrder::row_major);
  expect_round_trip<std::complex<double>>(path("a.h5:z"), 1, 40, ElementOrder::row_major);
  expect_round_trip<double>(path("a.h5:/empty"), 0, 5, ElementOrder::row_major);
  expect_round_trip<double>(path("a.h5:/empty"), 5, 0, ElementOrder::row_major);
  EXPECT_EQ(describe_matrix_file(path("a.h5:/s")).type, ElementType::float32);
  EXPECT_EQ(describe_matrix_file(path("a.h5:/deep/group/d")).columns, 29);
  EXPECT_EQ(names().size(), 1u) << "a temporary file was left";
}

TEST_F(Hdf5Files, AnyStorageAndByteOrderIsRead) {
  for (const hsize_t chunk : {0, 1, 4, 16}) {
    make_foreign(path("foreign.h5"), {37, 23}, chunk);
    for (const int ranks : {1, 3, 5}) {
      run_ranks(ranks, [&](const Communicator& communicator) {
        for (const Layout& layout : layouts(37, 23, ranks))
          expect_counted(read_matrix<double>(path("foreign.h5:/A"), layout, communicator));
      });
    }
  }
}

TEST_F(Hdf5Files, LargerThanTheBuffersRoundTrip) {
  run_ranks(2, [&](const Communicator& communicator) {
    const Layout layout = Layout::block(1100, 1300, {2, 1});
    Matrix<double> written(communicator, layout);
    written.fill([](Global<Row> i, Global<Column> j) {
      return static_cast<double>(i.value * 1300 + j.value);
    });
    write_matrix(path("large.h5:/A"), written);
    for (const Layout& other : {Layout::block(1100, 1300, {1, 2}), Layout::single(1100, 1300)})
      expect_counted(read_matrix<double>(path("large.h5:/A"), other, communicator));
  });
}

TEST_F(Hdf5Files, WhatIsNoMatrixIsRefusedWithTheRemedy) {
  make_foreign(path("a.h5"), {3, 4}, 0);
  const auto refused = [&](const std::string& name, ErrorCode code) {
    return refusal_on(3, code, [&](const Communicator& communicator) {
      read_matrix<double>(path(name), Layout::block(3, 4, {1, 3}), communicator);
    });
  };
  expect_mentions(refused("a.h5", ErrorCode::invalid_argument), {"a.h5:/A"});
  expect_mentions(refused("a.h5:/B", ErrorCode::io), {"a.h5:/B", "no such dataset"});
  expect_mentions(refused("a.h5:/A/B", ErrorCode::io), {"a.h5:/A/B"});
  expect_mentions(refused("missing.h5:/A", ErrorCode::io), {"missing.h5", "No such file"});
  write_text("text.h5", "no HDF5");
  expect_mentions(refused("text.h5:/A", ErrorCode::parse), {"text.h5", "not a whole HDF5 file"});
  fs::resize_file(path("a.h5"), fs::file_size(path("a.h5")) - 8);
  expect_mentions(refused("a.h5:/A", ErrorCode::parse), {"a.h5", "not a whole HDF5 file"});
}

TEST_F(Hdf5Files, AnOldFileSurvivesWhatIsRefused) {
  make_foreign(path("a.h5"), {3, 4}, 0);
  write_text("text.h5", "precious");
  const std::string before = text_of(path("a.h5"));
  const auto refused = [&](const std::string& name, ErrorCode code) {
    EXPECT_THROW(check_matrix_file_writable(path(name)), Error);
    return refusal_on(2, code, [&](const Communicator& communicator) {
      Matrix<double> matrix(communicator, Layout::block(4, 4, {1, 2}));
      matrix.fill([](auto, auto) { return 1.0; });
      write_matrix(path(name), matrix);
    });
  };
  expect_mentions(refused("a.h5", ErrorCode::invalid_argument), {"a.h5:/A"});
  expect_mentions(refused("text.h5:/A", ErrorCode::parse), {"text.h5"});
  refused("no/folder/a.h5:/A", ErrorCode::io);
  EXPECT_EQ(text_of(path("a.h5")), before);
  EXPECT_EQ(text_of(path("text.h5")), "precious");
  run_ranks(2, [&](const Communicator& communicator) {
    Matrix<double> matrix(communicator, Layout::block(2, 5, {1, 2}));
    matrix.fill([](auto, auto) { return 1.0; });
    write_matrix(path("a.h5:/group/B"), matrix);
    expect_counted(read_matrix<double>(path("a.h5:/A"), Layout::block(3, 4, {2, 1}), communicator));
  });
  expect_mentions(refused("a.h5:/group", ErrorCode::invalid_argument),
                  {"a.h5:/group", "is a group"});
  expect_mentions(refused("a.h5:/A/below", ErrorCode::invalid_argument), {"/A is a dataset"});
  EXPECT_EQ(names().size(), 2u) << "a temporary file was left";
}

TEST(Hdf5Elements, RectanglesCoverARangeOnceInItsOrder) {
  for (std::int64_t columns = 1; columns <= 5; ++columns) {
    for (std::int64_t first = 0; first < 12; ++first) {
      for (std::int64_t count = 0; count < 14; ++count) {
        std::int64_t next = first;
        for (const Rectangle& part : rectangles_of(first, count, columns)) {
          for (std::int64_t i = 0; i < part.rows; ++i) {
            for (std::int64_t j = 0; j < part.columns; ++j)
              ASSERT_EQ((part.row + i) * columns + part.column + j, next++);
          }
          ASSERT_LE(part.column + part.columns, columns);
        }
        EXPECT_EQ(next, first + count);
      }
    }
  }
}

}  // namespace
}  // namespace cuboid::detail
