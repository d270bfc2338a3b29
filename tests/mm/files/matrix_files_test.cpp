#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/matrix_files.hpp>

#include "mm/files/npy_header.hpp"
#include "mm/files/replacement_file.hpp"
#include "tests/mm/files/files_of_tests.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <mutex>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace cuboid::detail {
namespace matrix_files_test {

TEST_F(MatrixFiles, NpyRoundTripInEveryTypeAndOrder) {
  for (const ElementOrder order : {ElementOrder::row_major, ElementOrder::column_major}) {
    expect_round_trip<float>(path("s.npy"), 13, 29, order);
    expect_round_trip<double>(path("d.npy"), 13, 29, order);
    expect_round_trip<std::complex<float>>(path("c.npy"), 7, 3, order);
    expect_round_trip<std::complex<double>>(path("z.npy"), 1, 40, order);
  }
}

TEST_F(MatrixFiles, MatrixMarketRoundTrip) {
  expect_round_trip<float>(path("s.mtx"), 13, 7, ElementOrder::column_major);
  expect_round_trip<std::complex<double>>(path("z.mtx"), 5, 11, ElementOrder::column_major);
}

TEST_F(MatrixFiles, EmptyMatricesRoundTrip) {
  for (const char* name : {"e.npy", "e.mtx"}) {
    expect_round_trip<double>(path(name), 0, 5, ElementOrder::row_major);
    expect_round_trip<double>(path(name), 5, 0, ElementOrder::column_major);
    expect_round_trip<double>(path(name), 0, 0, ElementOrder::column_major);
  }
}

TEST_F(MatrixFiles, LargerThanTheBuffersRoundTrip) {
  run_ranks(2, [&](const Communicator& communicator) {
    for (const ElementOrder order : {ElementOrder::row_major, ElementOrder::column_major}) {
      const Layout layout = Layout::block(1100, 1300, {2, 1});
      Matrix<double> written(communicator, layout);
      written.fill(
          [](Global<Row> i, Global<Column> j) { return value_at<double>(i.value, j.value); });
      write_matrix(path("large.npy"), written, order);
      for (const Layout& other :
           {layout, Layout::block(1100, 1300, {1, 2}),
            Layout::block_cyclic(1100, 1300, 64, 64, {1, 2}), Layout::single(1100, 1300)}) {
        expect_values(read_matrix<double>(path("large.npy"), other, communicator));
      }
    }
  });
}

TEST_F(MatrixFiles, WiderTypesReadNarrowerFiles) {
  run_ranks(2, [&](const Communicator& communicator) {
    const Layout layout = Layout::block(4, 6, {1, 2});
    Matrix<float> narrow(communicator, layout);
    narrow.fill([](Global<Row> i, Global<Column> j) { return value_at<float>(i.value, j.value); });
    write_matrix(path("s.npy"), narrow);
    expect_values(read_matrix<double>(path("s.npy"), layout, communicator));
    const auto wide = read_matrix<std::complex<double>>(path("s.npy"), layout, communicator);
    EXPECT_EQ(wide(Local<Row>(1), Local<Column>(0)),
              std::complex<double>(wide.position()->column == 0 ? 2000 : 2003, 0));
  });
}

template <class T = double>
std::string refused_read(const std::string& path, std::int64_t m, std::int64_t n,
                         ErrorCode code = ErrorCode::parse) {
  return refusal_on(3, code, [&](const Communicator& communicator) {
    read_matrix<T>(path, Layout::block(m, n, {1, 3}), communicator);
  });
}

TEST_F(MatrixFiles, NarrowerTypesAreRefusedWithTheRemedy) {
  run_ranks(1, [&](const Communicator& communicator) {
    Matrix<std::complex<double>> matrix(communicator, Layout::single(2, 2));
    matrix.fill([](auto, auto) { return 1.0; });
    write_matrix(path("z.npy"), matrix);
    write_matrix(path("z.mtx"), matrix);
  });
  expect_mentions(refused_read<double>(path("z.npy"), 2, 2, ErrorCode::invalid_argument),
                  {path("z.npy"), "complex128", "type z"});
  expect_mentions(refused_read<float>(path("z.mtx"), 2, 2, ErrorCode::invalid_argument),
                  {path("z.mtx"), "type c"});
}

TEST_F(MatrixFiles, TruncatedAndTooLongNpyAreRefused) {
  const std::string header =
      format_npy_header({stored_as(ElementType::float64), ElementOrder::row_major, 2, 3});
  expect_mentions(refused_read(write_text("a.npy", header + std::string(47, 'x')), 2, 3),
                  {"a.npy", "truncated", "48", "47"});
  expect_mentions(refused_read(write_text("b.npy", header + std::string(49, 'x')), 2, 3),
                  {"b.npy", "longer than its header says"});
  expect_mentions(refused_read(write_text("c.npy", header.substr(0, 60)), 2, 3),
                  {"c.npy", "truncated"});
  expect_mentions(refused_read(write_text("d.npy", header.substr(0, 8)), 2, 3), {"d.npy"});
  expect_mentions(refused_read(write_text("e.npy", ""), 2, 3), {"e.npy", "neither"});
  expect_mentions(refused_read(write_text("f.npy", header + std::string(48, 'x')), 2, 4,
                               ErrorCode::invalid_argument),
                  {"f.npy", "2 x 3", "2 x 4"});
}

TEST_F(MatrixFiles, WhatIsNoFileIsRefused) {
  expect_mentions(refused_read(path("missing.npy"), 1, 1, ErrorCode::io),
                  {"missing.npy", "No such file"});
  expect_mentions(refused_read(folder_.string(), 1, 1, ErrorCode::io), {folder_.string()});
}

std::vector<double> read_on_one_rank(const std::string& path, std::int64_t m, std::int64_t n) {
  std::vector<double> values;
  run_ranks(1, [&](const Communicator& communicator) {
    const auto matrix = read_matrix<double>(path, Layout::single(m, n), communicator);
    values.assign(matrix.data(), matrix.data() + m * n);
  });
  return values;
}

TEST_F(MatrixFiles, CoordinateFilesBecomeDense) {
  using Values = std::vector<double>;
  EXPECT_EQ(read_on_one_rank(write_text("g.mtx",
                                        "%%MatrixMarket matrix coordinate real general\r\n"
                                        "% comment\r\n"
                                        "\r\n"
                                        "2 3 2\r\n"
                                        "2 3 1.5\r\n"
                                        "  1 1   -2  \r\n"),
                             2, 3),
            (Values{-2, 0, 0, 0, 0, 1.5}));
  EXPECT_EQ(read_on_one_rank(write_text("p.mtx",
                                        "%%MatrixMarket matrix coordinate pattern symmetric\n"
                                        "2 2 2\n1 1\n2 1"),
                             2, 2),
            (Values{1, 1, 1, 0}));
  EXPECT_EQ(read_on_one_rank(write_text("k.mtx",
                                        "%%MatrixMarket matrix array integer skew-symmetric\n"
                                        "3 3\n1\n2\n3\n"),
                             3, 3),
            (Values{0, 1, 2, -1, 0, 3, -2, -3, 0}));
}

TEST_F(MatrixFiles, HermitianFilesAreCompletedOnEveryRank) {
  const std::string file = write_text("h.mtx",
                                      "%%MatrixMarket matrix array complex hermitian\n"
                                      "2 2\n1 0\n3 4\n2 0\n");
  run_ranks(2, [&](const Communicator& communicator) {
    using Complex = std::complex<double>;
    const auto matrix = read_matrix<Complex>(file, Layout::block(2, 2, {1, 2}), communicator);
    const bool first = communicator.rank() == 0;
    EXPECT_EQ(matrix(Local<Row>(0), Local<Column>(0)), first ? Complex(1, 0) : Complex(3, -4));
    EXPECT_EQ(matrix(Local<Row>(1), Local<Column>(0)), first ? Complex(3, 4) : Complex(2, 0));
  });
}

TEST_F(MatrixFiles, MalformedMatrixMarketNamesFileAndLine) {
  const std::string array = "%%MatrixMarket matrix array real general\n2 3\n";
  const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n2 3 2\n";
  const std::string six = "1\n2\n3\n4\n5\n6\n";
  struct Case {
    std::string text;
    std::string where;
    std::string reason;
  };
  const Case cases[] = {
      {array + "1\n2\nx\n4\n5\n6\n", ":5:", "not a number"},
      {array + "1\n2\n3\n", "", "truncated"},
      {array + six + "7\n", ":9:", "more than the 6"},
      {array + "1 2\n2\n3\n4\n5\n6\n", ":3:", "unexpected word"},
      {coordinate + "1 1 5\n1 1 6\n", ":4:", "second time"},
      {coordinate + "1 1 5\n3 1 6\n", ":4:", "outside"},
      {coordinate + "1 1 5\n", "", "truncated"},
      {"%%MatrixMarket matrix array real general\n", "", "sizes"},
      {"%%MatrixMarket matrix array real general\n2000 3000\n1\n", ":2:", "truncated"},
      {"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 2 5\n2 1 5\n",
       ":4:", "second time"},
      {array + std::string(3 << 20, ' ') + "\n", ":3:", "a line of more"},
  };
  for (const Case& bad : cases) {
    const std::string file = write_text("bad.mtx", bad.text);
    const std::string message = refusal_on(3, ErrorCode::parse, [&](const Communicator& ranks) {
      const auto description = describe_matrix_file(file);
      read_matrix<double>(file, Layout::block(description.rows, description.columns, {1, 3}),
                          ranks);
    });
    expect_mentions(message, {file + bad.where, bad.reason});
  }
}

TEST_F(MatrixFiles, OutputIsReplacedOnlyWhole) {
  const std::string file = write_text("out.npy", "precious");
  ASSERT_EQ(chmod(file.c_str(), 0640), 0);
  {
    ReplacementFile replacement(file, 100);
    EXPECT_EQ(text_of(file), "precious");
    EXPECT_EQ(names().size(), 2u);
  }
  EXPECT_EQ(text_of(file), "precious");
  EXPECT_EQ(names().size(), 1u) << "the temporary file was left";
  {
    ReplacementFile replacement(file, 3);
    replacement.file().write_at(std::as_bytes(std::span("new", 3)), 0);
    replacement.commit();
  }
  EXPECT_EQ(text_of(file), "new");
  EXPECT_EQ(names().size(), 1u);
  struct stat status {};
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

std::uint32_t permissions_of(const std::string& file) {
  struct stat status {};
  EXPECT_EQ(stat(file.c_str(), &status), 0) << file;
  return status.st_mode & 07777;
}

TEST_F(MatrixFiles, TemporaryFilesAreTheirOwnersAlone) {
  const std::string file = write_text("out.npy", "old");
  ASSERT_EQ(chmod(file.c_str(), 04755), 0);
  ReplacementFile replacement(file, 3);
  EXPECT_EQ(permissions_of(replacement.temporary_path()), 0600u);
  replacement.commit();
  EXPECT_EQ(permissions_of(file), 0755u) << "SUID is kept";
}

TEST_F(MatrixFiles, WhatKilledRunsHaveLeftIsRemoved) {
  const std::string stale = write_text("out.npy.part-0123abcd", "half");
  const std::string others = write_text("out.npy.part-mine", "whole");
  {
    const ReplacementFile first(path("out.npy"), 3);
    const ReplacementFile second(path("out.npy"), 3);
    EXPECT_TRUE(fs::exists(first.temporary_path())) << "it is being written";
  }
  EXPECT_FALSE(fs::exists(stale));
  EXPECT_TRUE(fs::exists(others));
}

TEST_F(MatrixFiles, AnInterruptionRemovesWhatIsBeingWritten) {
  {
    const ReplacementFile replacement(path("out.npy"), 3);
    remove_interrupted_files();
    EXPECT_TRUE(names().empty());
  }
  const std::string whole = write_text("done.npy", "whole");
  remove_interrupted_files();
  EXPECT_TRUE(fs::exists(whole));
}

TEST_F(MatrixFiles, ReplacingASymbolicLinkReplacesWhatItLeadsTo) {
  const std::string file = write_text("real.npy", "old");
  fs::create_symlink("real.npy", path("link.npy"));
  ReplacementFile replacement(path("link.npy"), 3);
  replacement.file().write_at(std::as_bytes(std::span("new", 3)), 0);
  replacement.commit();
  EXPECT_TRUE(fs::is_symlink(path("link.npy")));
  EXPECT_EQ(text_of(file), "new");
}

TEST_F(MatrixFiles, ALinkMayLeadToAFileThatIsYetToBe) {
  fs::create_symlink("real.npy", path("first.npy"));
  fs::create_symlink(path("first.npy"), path("second.npy"));
  ReplacementFile replacement(path("second.npy"), 3);
  replacement.file().write_at(std::as_bytes(std::span("new", 3)), 0);
  replacement.commit();
  EXPECT_TRUE(fs::is_symlink(path("first.npy")));
  EXPECT_TRUE(fs::is_symlink(path("second.npy")));
  EXPECT_EQ(text_of(path("real.npy")), "new");
  fs::create_symlink("circle.npy", path("circle.npy"));
  EXPECT_NO_THROW(ReplacementFile(path("circle.npy"), 3));
}

TEST_F(MatrixFiles, ReservingMoreThanThereIsFailsAtOnce) {
  const std::string file = write_text("out.npy", "precious");
  EXPECT_THROW(ReplacementFile(file, std::uint64_t{1} << 60), Error);
  EXPECT_EQ(text_of(file), "precious");
  EXPECT_EQ(names().size(), 1u);
}

TEST_F(MatrixFiles, WriteErrorsReachEveryRank) {
  const auto write_to = [&](const std::string& file) {
    return [file](const Communicator& communicator) {
      Matrix<double> matrix(communicator, Layout::block(4, 6, {1, 3}));
      matrix.fill([](auto, auto) { return 1.0; });
      write_matrix(file, matrix);
    };
  };
  expect_mentions(refusal_on(3, ErrorCode::io, write_to(path("no/such/folder.npy"))),
                  {"folder.npy", "No such file"});
  expect_mentions(refusal_on(3, ErrorCode::invalid_argument, write_to(path("out.txt"))),
                  {"out.txt", ".npy", ".mtx"});
  fs::create_directory(path("folder.npy"));
  expect_mentions(refusal_on(3, ErrorCode::io, write_to(path("folder.npy"))), {"folder.npy"});
  EXPECT_EQ(names().size(), 1u) << "a temporary file was left";
}

TEST_F(MatrixFiles, WritabilityIsKnownBeforehand) {
  EXPECT_NO_THROW(check_matrix_file_writable(path("new.npy")));
  EXPECT_NO_THROW(check_matrix_file_writable(write_text("old.npy", "x")));
  EXPECT_THROW(check_matrix_file_writable(path("no/such/folder.npy")), Error);
  EXPECT_THROW(check_matrix_file_writable(path("out.csv")), Error);
  EXPECT_THROW(check_matrix_file_writable(path(std::string(245, 'x') + ".npy")), Error);
  EXPECT_THROW(check_room(path("new.npy"), std::uint64_t{1} << 60), Error);
  EXPECT_NO_THROW(check_room(path("new.npy"), 100));
  EXPECT_FALSE(fs::exists(path("new.npy")));
  fs::create_directory(path("folder.npy"));
  EXPECT_THROW(check_matrix_file_writable(path("folder.npy")), Error);
}

std::string mutated(std::string bytes, std::mt19937_64& generator) {
  const std::uint64_t mutations = 1 + generator() % 5;
  for (std::uint64_t count = 0; count < mutations && !bytes.empty(); ++count) {
    // Headers are where files lie, so most mutations go there.
    const std::size_t reach =
        generator() % 4 == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 90);
    const std::size_t at = generator() % reach;
    switch (generator() % 6) {
      case 0: bytes[at] = static_cast<char>(generator()); break;
      case 1: bytes[at] = static_cast<char>('0' + generator() % 10); break;
      case 2: bytes.erase(at, 1 + generator() % 9); break;
      case 3: bytes.insert(at, 1 + generator() % 3, static_cast<char>(generator())); break;
      case 4: bytes.insert(at, "9"); break;
      default: bytes.resize(at); break;
    }
  }
  return bytes;
}

/// A .npy file as NumPy writes it, of format version 1, 2 or 3.
std::string npy_of(int version, const std::string& descr, const std::string& elements) {
  const std::string text =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (2, 3), }\n";
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (int byte = 0; byte < (version == 1 ? 2 : 4); ++byte)
    file += static_cast<char>(text.size() >> (8 * byte));
  return file + text + elements;
}

template <class Stored>
std::string elements_of(std::vector<Stored> values, bool big_endian) {
  std::string bytes;
  for (const Stored& value : values) {
    std::string one(reinterpret_cast<const char*>(&value), sizeof(value));
    if (big_endian) std::reverse(one.begin(), one.end());
    bytes += one;
  }
  return bytes;
}

TEST_F(MatrixFiles, NpyOfIntegersHalvesAndEitherByteOrderIsRead) {
  const auto expect_read = [&](const std::string& bytes) {
    const std::string file = write_text("n.npy", bytes);
    for (const int ranks : {1, 3}) {
      run_ranks(ranks, [&](const Communicator& communicator) {
        for (const Layout& layout : layouts(2, 3, ranks)) {
          const auto matrix = read_matrix<double>(file, layout, communicator);
          const auto here = matrix.position();
          for (Local<Column> j; j.value < matrix.local_columns(); ++j) {
            for (Local<Row> i; i.value < matrix.local_rows(); ++i)
              EXPECT_EQ(matrix(i, j), static_cast<double>(
                                          matrix.layout().rows().global(here->row, i).value * 3 +
                                          matrix.layout().columns().global(here->column, j).value));
          }
        }
      });
    }
  };
  for (const int version : {1, 2, 3}) {
    expect_read(npy_of(version, "<i8", elements_of<std::int64_t>({0, 1, 2, 3, 4, 5}, false)));
    expect_read(npy_of(version, ">i4", elements_of<std::int32_t>({0, 1, 2, 3, 4, 5}, true)));
    expect_read(npy_of(version, "|u1", elements_of<std::uint8_t>({0, 1, 2, 3, 4, 5}, false)));
    expect_read(npy_of(version, ">f8", elements_of<double>({0, 1, 2, 3, 4, 5}, true)));
    expect_read(
        npy_of(version, "<f2",
               elements_of<std::uint16_t>({0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500}, false)));
  }
  const std::string big =
      npy_of(1, ">c16", elements_of<double>({1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6}, true));
  run_ranks(1, [&](const Communicator& communicator) {
    const auto matrix = read_matrix<std::complex<double>>(write_text("z.npy", big),
                                                          Layout::single(2, 3), communicator);
    EXPECT_EQ(matrix(Local<Row>(1), Local<Column>(2)), std::complex<double>(6, -6));
  });
  expect_mentions(
      refused_read(write_text("i8.npy", npy_of(1, "<i8",
                                               elements_of<std::int64_t>(
                                                   {0, 1, (1LL << 53) + 1, 0, 0, 0}, false))),
                   2, 3),
      {"i8.npy", "9007199254740993", "no exact value"});
}

/// What gzip makes of a text.
std::string compressed(const std::string& text) {
  z_stream zlib{};
  EXPECT_EQ(deflateInit2(&zlib, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY), Z_OK);
  std::string result(deflateBound(&zlib, text.size()) + 64, '\0');
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  zlib.avail_in = static_cast<uInt>(text.size());
  zlib.next_out = reinterpret_cast<Bytef*>(result.data());
  zlib.avail_out = static_cast<uInt>(result.size());
  EXPECT_EQ(deflate(&zlib, Z_FINISH), Z_STREAM_END);
  result.resize(zlib.total_out);
  deflateEnd(&zlib);
  return result;
}

TEST_F(MatrixFiles, MatrixMarketMayBeCompressed) {
  // Longer than the pieces in which it is read, and far smaller compressed.
  std::string text = "%%MatrixMarket matrix array real general\n400 700\n";
  for (int j = 0; j < 700; ++j) {
    for (int i = 0; i < 400; ++i) text += std::to_string(1000 * (i + 1) + j) + "\n";
  }
  const std::size_t half = text.find('\n', text.size() / 2) + 1;
  for (const std::string& bytes :
       {compressed(text), compressed(text.substr(0, half)) + compressed(text.substr(half))}) {
    const std::string file = write_text("c.mtx.gz", bytes);
    run_ranks(3, [&](const Communicator& communicator) {
      expect_values(read_matrix<double>(file, Layout::block(400, 700, {1, 3}), communicator));
    });
  }
  const std::string whole =
      compressed("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n");
  EXPECT_EQ(read_on_one_rank(write_text("w.gz", whole), 2, 2), (std::vector<double>{1, 2, 3, 4}));
  expect_mentions(refused_read(write_text("t.gz", whole.substr(0, whole.size() - 9)), 2, 2),
                  {"t.gz", "truncated"});
  std::string damaged = whole;
  damaged[damaged.size() - 6] = static_cast<char>(damaged[damaged.size() - 6] ^ 1);
  expect_mentions(refused_read(write_text("d.gz", damaged), 2, 2), {"d.gz", "damaged"});
  expect_mentions(refused_read(write_text("n.npy.gz", compressed("\x93NUMPY and more")), 2, 2),
                  {"n.npy.gz", "gunzip"});
  expect_mentions(
      refused_read(write_text("l.gz", compressed("%%MatrixMarket matrix array real general\n"
                                                 "2000 3000\n1\n")),
                   2000, 3000),
      {"l.gz:2:", "truncated"});
}

TEST_F(MatrixFiles, EntriesOfOneElementAreAddedOnRequest) {
  const std::string file = write_text("d.mtx",
                                      "%%MatrixMarket matrix coordinate real symmetric\n"
                                      "2 2 5\n1 1 1\n2 1 2\n1 1 4\n1 2 8\n2 1 16\n");
  run_ranks(2, [&](const Communicator& communicator) {
    const auto matrix = read_matrix<double>(file, Layout::block(2, 2, {1, 2}), communicator,
                                            {.sum_duplicates = true});
    const bool first = communicator.rank() == 0;
    EXPECT_EQ(matrix(Local<Row>(0), Local<Column>(0)), first ? 5 : 26);
    EXPECT_EQ(matrix(Local<Row>(1), Local<Column>(0)), first ? 26 : 0);
  });
  expect_mentions(refused_read(file, 2, 2), {":5:", "second time", "--sum-duplicates", "SciPy"});
}

TEST_F(MatrixFiles, FilesOfOtherProgramsAreRefusedWithTheRemedy) {
  expect_mentions(refused_read(write_text("a.mat", "MATLAB 5.0 MAT-file, Platform: GLNXA64"), 2, 2),
                  {"a.mat", "-v7.3"});
  expect_mentions(refused_read(path("a.mat") + ":/A", 2, 2), {"a.mat", "-v7.3"});
  expect_mentions(refused_read(write_text("a.nc", std::string("CDF\x01", 4)), 2, 2), {"nccopy"});
  expect_mentions(refused_read(write_text("a.npz", "PK\x03\x04"), 2, 2), {"numpy.save"});
  write_text("b.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n");
  expect_mentions(refused_read(path("b.mtx") + ":/A", 1, 1), {"b.mtx", "not an HDF5 file"});
}

/// Reads mutations of good files: each is read or refused, nothing else happens.
TEST_F(MatrixFiles, AnyMutationIsReadOrRefused) {
  std::string values;
  for (int k = 0; k < 12; ++k) values += std::to_string(k * 0.25) + "\n";
  const std::string good[] = {
      format_npy_header({stored_as(ElementType::float64), ElementOrder::row_major, 3, 4}) +
          std::string(96, '\x11'),
      format_npy_header({stored_as(ElementType::complex64), ElementOrder::column_major, 3, 4}) +
          std::string(96, '\x11'),
      npy_of(2, ">i2", std::string(12, '\x11')),
      npy_of(3, "<f2", std::string(12, '\x11')),
      "%%MatrixMarket matrix array real general\n3 4\n" + values,
      compressed("%%MatrixMarket matrix array real general\n3 4\n" + values),
      "%%MatrixMarket matrix coordinate complex hermitian\n% c\n4 4 3\n1 1 2 0\n3 2 1 -1\n4 1 7 "
      "8\n",
      "%%MatrixMarket matrix coordinate pattern general\n4 3 3\n1 1\n3 2\n4 1\n",
      "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n-2\n3\n"};
  std::mt19937_64 generator(20250117);
  int read = 0;
  int refused = 0;
  run_ranks(1, [&](const Communicator& communicator) {
    for (int round = 0; round < 6000; ++round) {
      const std::string file = write_text(
          "fuzz", mutated(good[static_cast<std::size_t>(round) % std::size(good)], generator));
      try {
        const auto description = describe_matrix_file(file);
        // Headers that announce more than a test should allocate are the memory check's business.
        if (description.rows > 1000 || description.columns > 1000) continue;
        read_matrix<std::complex<double>>(
            file, Layout::single(description.rows, description.columns), communicator);
        ++read;
      } catch (const Error&) {
        ++refused;
      }
    }
  });
  EXPECT_GT(read, 50);
  EXPECT_GT(refused, 1000);
}

}  // namespace matrix_files_test
}  // namespace cuboid::detail
