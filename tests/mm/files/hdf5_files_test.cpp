#include "mm/files/file_descriptor.hpp"
#include "mm/files/hdf5_elements.hpp"
#include "mm/files/hdf5_library.hpp"
#include "tests/mm/files/files_of_tests.hpp"
#include "tests/mm/files/text_attribute.hpp"

#include <array>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>

namespace cuboid::detail {
namespace hdf5_files_test {

class Hdf5Files : public MatrixFiles {};

/// A file as other programs make it: a dataset of such extents, filled with 0, 1, 2, …, in chunks
/// and big-endian where `chunk` is given.
void make_foreign(const std::string& file, std::array<hsize_t, 2> extents, hsize_t chunk,
                  hsize_t user_block = 0) {
  const Hdf5Library& hdf5 = Hdf5Library::get();
  const Hdf5Turn turn(hdf5);
  const SharedLibrary library(CUBOID_HDF5_LIBRARY);
  auto* const set_chunk = library.find<decltype(::H5Pset_chunk)>("H5Pset_chunk");
  auto* const write = library.find<decltype(::H5Dwrite)>("H5Dwrite");
  const hid_t big_endian = *library.find<hid_t>("H5T_IEEE_F64BE_g");
  const Hdf5Handle creation(hdf5.Pcreate(*library.find<hid_t>("H5P_CLS_FILE_CREATE_ID_g")),
                            hdf5.Pclose);
  library.find<decltype(::H5Pset_userblock)>("H5Pset_userblock")(creation.get(), user_block);
  const Hdf5Handle opened(hdf5.Fcreate(file.c_str(), H5F_ACC_TRUNC, creation.get(), H5P_DEFAULT),
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

/// Adds a dataset to a file without elements of a type that the library knows by such a name.
void add_foreign(const std::string& file, const char* name, std::vector<hsize_t> extents,
                 const char* type) {
  const Hdf5Library& hdf5 = Hdf5Library::get();
  const Hdf5Turn turn(hdf5);
  const SharedLibrary library(CUBOID_HDF5_LIBRARY);
  const Hdf5Handle opened(hdf5.Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), hdf5.Fclose);
  const Hdf5Handle space(
      hdf5.Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), hdf5.Sclose);
  const Hdf5Handle dataset(hdf5.Dcreate2(opened.get(), name, *library.find<hid_t>(type),
                                         space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                           hdf5.Dclose);
  ASSERT_TRUE(dataset.is_open());
}

/// Writes a dataset's elements, of a type in memory that the library knows by such a name.
void fill_foreign(const std::string& file, const char* name, const char* type, const void* values) {
  const Hdf5Library& hdf5 = Hdf5Library::get();
  const Hdf5Turn turn(hdf5);
  const SharedLibrary library(CUBOID_HDF5_LIBRARY);
  const Hdf5Handle opened(hdf5.Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), hdf5.Fclose);
  const Hdf5Handle dataset(hdf5.Dopen2(opened.get(), name, H5P_DEFAULT), hdf5.Dclose);
  auto* const write = library.find<decltype(::H5Dwrite)>("H5Dwrite");
  ASSERT_GE(write(dataset.get(), *library.find<hid_t>(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, values),
            0);
}

/// An attribute of a dataset: text, or its numbers.
class Attribute {
 public:
  Attribute(std::string file, const char* name, const char* type)
      : file_(std::move(file)), name_(name), type_(type) {}

  void write(const std::vector<std::byte>& bytes, hsize_t elements) const {
    at_dataset([&](const Hdf5Library& hdf5, hid_t dataset, hid_t type) {
      const Hdf5Handle space(hdf5.Screate_simple(1, &elements, nullptr), hdf5.Sclose);
      const Hdf5Handle made(
          hdf5.Acreate2(dataset, name_, type, space.get(), H5P_DEFAULT, H5P_DEFAULT), hdf5.Aclose);
      EXPECT_GE(hdf5.Awrite(made.get(), type, bytes.data()), 0);
    });
  }
  /// As many bytes as were written.
  std::vector<std::byte> read(std::size_t bytes) const {
    std::vector<std::byte> values(bytes);
    at_dataset([&](const Hdf5Library& hdf5, hid_t dataset, hid_t type) {
      const SharedLibrary library(CUBOID_HDF5_LIBRARY);
      auto* const open = library.find<decltype(::H5Aopen)>("H5Aopen");
      const Hdf5Handle opened(open(dataset, name_, H5P_DEFAULT), hdf5.Aclose);
      EXPECT_GE(hdf5.Aread(opened.get(), type, values.data()), 0) << name_;
    });
    return values;
  }

 private:
  template <class Use>
  void at_dataset(const Use& use) const {
    const Hdf5Library& hdf5 = Hdf5Library::get();
    const Hdf5Turn turn(hdf5);
    const SharedLibrary library(CUBOID_HDF5_LIBRARY);
    const Hdf5Handle opened(hdf5.Fopen(file_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), hdf5.Fclose);
    const Hdf5Handle dataset(hdf5.Dopen2(opened.get(), "/A", H5P_DEFAULT), hdf5.Dclose);
    use(hdf5, dataset.get(), *library.find<hid_t>(type_));
  }

  std::string file_;
  const char* name_;
  const char* type_;
};

void write_ones(const std::string& path) {
  run_ranks(2, [&](const Communicator& communicator) {
    Matrix<double> matrix(communicator, Layout::block(37, 23, {1, 2}));
    matrix.fill([](auto, auto) { return 1.0; });
    write_matrix(path, matrix);
  });
}

TEST_F(Hdf5Files, AReplacedDatasetKeepsItsAttributesAndTheFileDoesNotGrow) {
  make_foreign(path("a.h5"), {37, 23}, 0);
  const std::vector<std::byte> text{std::byte{'e'}, std::byte{'V'}, std::byte{0}};
  const std::vector<std::byte> numbers(3 * sizeof(double), std::byte{7});
  const Attribute unit(path("a.h5"), "unit", "H5T_STD_U8LE_g");
  const Attribute scale(path("a.h5"), "scale, at length", "H5T_IEEE_F64BE_g");
  unit.write(text, text.size());
  scale.write(numbers, 3);
  write_ones(path("a.h5:/A"));
  const auto bytes = fs::file_size(path("a.h5"));
  for (int again = 0; again < 3; ++again) write_ones(path("a.h5:/A"));
  EXPECT_EQ(fs::file_size(path("a.h5")), bytes);
  EXPECT_EQ(unit.read(text.size()), text);
  EXPECT_EQ(scale.read(numbers.size()), numbers);
}

TEST_F(Hdf5Files, IntegersAreReadThatAnElementTypeHolds) {
  make_foreign(path("a.h5"), {3, 4}, 0);
  const auto type_of = [&](const char* name, const char* type) {
    add_foreign(path("a.h5"), name, {2, 2}, type);
    return describe_matrix_file(path("a.h5:") + name).type;
  };
  EXPECT_EQ(type_of("/i1", "H5T_STD_I8LE_g"), ElementType::float32);
  EXPECT_EQ(type_of("/u2", "H5T_STD_U16BE_g"), ElementType::float32);
  EXPECT_EQ(type_of("/i4", "H5T_STD_I32BE_g"), ElementType::float64);
  EXPECT_EQ(type_of("/u4", "H5T_STD_U32LE_g"), ElementType::float64);
  EXPECT_EQ(type_of("/i8", "H5T_STD_I64BE_g"), ElementType::float64);
}

TEST_F(Hdf5Files, IntegersOf64BitsAreReadWhereTheyHaveExactValues) {
  make_foreign(path("a.h5"), {3, 4}, 0);
  add_foreign(path("a.h5"), "/i8", {3, 4}, "H5T_STD_I64BE_g");
  add_foreign(path("a.h5"), "/u8", {3, 4}, "H5T_STD_U64LE_g");
  std::vector<std::int64_t> values(12);
  std::iota(values.begin(), values.end(), 0);
  fill_foreign(path("a.h5"), "/i8", "H5T_NATIVE_INT64_g", values.data());
  fill_foreign(path("a.h5"), "/u8", "H5T_NATIVE_INT64_g", values.data());
  run_ranks(3, [&](const Communicator& communicator) {
    for (const Layout& layout : layouts(3, 4, 3)) {
      expect_counted(read_matrix<double>(path("a.h5:/i8"), layout, communicator));
      expect_counted(read_matrix<double>(path("a.h5:/u8"), layout, communicator));
    }
  });
  values[7] = INT64_MAX;
  fill_foreign(path("a.h5"), "/i8", "H5T_NATIVE_INT64_g", values.data());
  const std::string message =
      refusal_on(3, ErrorCode::parse, [&](const Communicator& communicator) {
        read_matrix<double>(path("a.h5:/i8"), Layout::block(3, 4, {1, 3}), communicator);
      });
  expect_mentions(message, {"a.h5:/i8", "9223372036854775807", "no exact value"});
}

TEST_F(Hdf5Files, AreKnownByTheirContent) {
  make_foreign(path("a.h5"), {3, 4}, 0);
  fs::rename(path("a.h5"), path("a.nc"));
  // As MATLAB writes them: after a block of its own.
  make_foreign(path("b.mat"), {37, 23}, 0, 512);
  run_ranks(2, [&](const Communicator& communicator) {
    expect_counted(read_matrix<double>(path("a.nc:/A"), Layout::block(3, 4, {1, 2}), communicator));
    expect_counted(
        read_matrix<double>(path("b.mat:A"), Layout::block(37, 23, {2, 1}), communicator));
  });
  write_ones(path("b.mat:/ones"));
  run_ranks(2, [&](const Communicator& communicator) {
    const Layout layout = Layout::block(37, 23, {2, 1});
    expect_counted(read_matrix<double>(path("b.mat:/A"), layout, communicator));
    const auto ones = read_matrix<double>(path("b.mat:/ones"), layout, communicator);
    EXPECT_EQ(ones(Local<Row>(0), Local<Column>(22)), 1.0);
  });
  EXPECT_THROW(check_matrix_file_writable(path("new.mat:/A")), Error);
  expect_round_trip<double>(path("a.nc:/B"), 3, 5, ElementOrder::row_major);
}

TEST_F(Hdf5Files, DamagedTextOfAnAttributeIsRefusedAndTheFileIsLeftAsItWas) {
  make_foreign(path("good.h5"), {37, 23}, 0);
  ASSERT_TRUE(add_text(path("good.h5"), "/A", "units", "metres per second"));
  const std::string good = text_of(path("good.h5"));
  const std::size_t heap = good.find("GCOL");
  ASSERT_NE(heap, std::string::npos);
  int refused = 0;
  run_ranks(1, [&](const Communicator& communicator) {
    Matrix<double> matrix(communicator, Layout::single(37, 23));
    matrix.fill([](auto, auto) { return 1.0; });
    for (std::size_t at = heap; at < heap + 48; at += 2) {
      for (const char byte : {'\x00', '\x7f'}) {
        std::string damaged = good;
        damaged[at] = byte;
        write_text("a.h5", damaged);
        try {
          write_matrix(path("a.h5:/A"), matrix);
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ErrorCode::io) << error.what();
          EXPECT_EQ(text_of(path("a.h5")), damaged);
          ++refused;
        }
      }
    }
  });
  EXPECT_GT(refused, 5);
  EXPECT_EQ(names().size(), 2U) << "a temporary file was left";
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
  add_foreign(path("a.h5"), "/vector", {4}, "H5T_IEEE_F64LE_g");
  expect_mentions(refused("a.h5:/vector", ErrorCode::parse), {"has 1 dimension:", "m x n"});
  add_foreign(path("a.h5"), "/reference", {3, 4}, "H5T_STD_REF_OBJ_g");
  expect_mentions(refused("a.h5:/reference", ErrorCode::parse), {"holds no numbers"});
  fs::copy_file(path("a.h5"), path("a.data"));
  expect_mentions(refused("a.data", ErrorCode::invalid_argument), {"name one", "a.data:/A"});
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
                  {"a.h5:/group", "is no dataset"});
  expect_mentions(refused("a.h5:/A/below", ErrorCode::invalid_argument), {"/A is a dataset"});
  EXPECT_EQ(names().size(), 2u) << "a temporary file was left";
}

TEST_F(Hdf5Files, AFileThatAnotherProgramWritesIsLeftAlone) {
  make_foreign(path("a.h5"), {37, 23}, 0);
  const FileDescriptor written(path("a.h5"), O_RDWR);
  ASSERT_EQ(::flock(written.get(), LOCK_EX | LOCK_NB), 0);  // as HDF5 does
  const auto refused = [&](const auto& call) {
    return refusal_on(2, ErrorCode::io, [&](const Communicator& communicator) {
      Matrix<double> matrix(communicator, Layout::block(37, 23, {1, 2}));
      matrix.fill([](auto, auto) { return 1.0; });
      call(matrix);
    });
  };
  const std::string before = text_of(path("a.h5"));
  expect_mentions(refused([&](auto& matrix) { read_matrix(path("a.h5:/A"), matrix); }),
                  {"a.h5", "another program"});
  expect_mentions(refused([&](auto& matrix) { write_matrix(path("a.h5:/B"), matrix); }),
                  {"a.h5", "another program"});
  EXPECT_EQ(text_of(path("a.h5")), before);
  ASSERT_EQ(::flock(written.get(), LOCK_SH | LOCK_NB), 0);  // it only reads
  write_ones(path("a.h5:/B"));
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

}  // namespace hdf5_files_test
}  // namespace cuboid::detail
