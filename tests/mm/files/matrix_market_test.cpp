#include "mm/files/matrix_market.hpp"

#include <cuboid/error.hpp>

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace matrix_market_test {

using Format = MatrixMarketHeader::Format;
using Field = MatrixMarketHeader::Field;
using Symmetry = MatrixMarketHeader::Symmetry;

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::parse) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

MatrixMarketHeader parsed(const std::string& banner, const std::string& sizes) {
  MatrixMarketHeaderParser parser;
  EXPECT_FALSE(parser.take(banner));
  EXPECT_FALSE(parser.take("% a comment"));
  EXPECT_FALSE(parser.take(""));
  EXPECT_TRUE(parser.take(sizes));
  return parser.header();
}

TEST(MatrixMarketHeader, ReadsFormatsFieldsAndSymmetries) {
  EXPECT_EQ(parsed("%%MatrixMarket matrix array real general", "3 4"),
            (MatrixMarketHeader{Format::array, Field::real, Symmetry::general, 3, 4, 12}));
  EXPECT_EQ(parsed("%%MatrixMarket MATRIX Coordinate Complex Hermitian", " 5\t5 6 "),
            (MatrixMarketHeader{Format::coordinate, Field::complex, Symmetry::hermitian, 5, 5, 6}));
  EXPECT_EQ(parsed("%%MatrixMarket matrix coordinate pattern symmetric", "5 5 0").entries, 0);
  EXPECT_EQ(parsed("%%MatrixMarket matrix coordinate unsigned-integer general", "5 5 1").field,
            Field::unsigned_integer);
  EXPECT_EQ(parsed("%%MatrixMarket matrix array integer symmetric", "4 4").entries, 10);
  EXPECT_EQ(parsed("%%MatrixMarket matrix array real skew-symmetric", "4 4").entries, 6);
  EXPECT_EQ(parsed("%%MatrixMarket matrix array real skew-symmetric", "0 0").entries, 0);
}

struct Refused {
  const char* banner;
  const char* sizes;
  const char* reason;
};

TEST(MatrixMarketHeader, SaysWhy) {
  constexpr const char* real_array = "%%MatrixMarket matrix array real general";
  constexpr const char* coordinates = "%%MatrixMarket matrix coordinate real general";
  const Refused cases[] = {
      {"3 4", "", "banner"},
      {"%%MatrixMarket vector array real general", "", "\"vector\""},
      {"%%MatrixMarket matrix dense real general", "", "array, coordinate"},
      {"%%MatrixMarket matrix array quaternion general", "", "\"quaternion\""},
      {"%%MatrixMarket matrix array real diagonal", "", "\"diagonal\""},
      {"%%MatrixMarket matrix array real", "", "symmetry"},
      {"%%MatrixMarket matrix array real general more", "", "unexpected word"},
      {"%%MatrixMarket matrix array real hermitian", "", "complex"},
      {"%%MatrixMarket matrix array pattern general", "", "pattern"},
      {real_array, "3", "columns is missing"},
      {real_array, "3 x", "\"x\""},
      {real_array, "3 4 5", "unexpected word"},
      {real_array, "-3 4", "negative"},
      {real_array, "99999999999999999999 4", "63 bits"},
      {real_array, "4294967296 4294967296", "does not fit"},
      {"%%MatrixMarket matrix array real symmetric", "3 4", "square"},
      {coordinates, "3 4", "entries is missing"},
      {coordinates, "3 4 -1", "negative"},
  };
  for (const Refused& refused : cases) {
    const std::string message = refusal([&] {
      MatrixMarketHeaderParser parser;
      parser.take(refused.banner);
      parser.take(refused.sizes);
    });
    EXPECT_NE(message.find(refused.reason), std::string::npos)
        << refused.banner << " / " << refused.sizes << "\n  gives: " << message;
  }
}

std::vector<MatrixMarketPlace> array_places(const char* symmetry, int size) {
  const auto header = parsed(std::string("%%MatrixMarket matrix array complex ") + symmetry,
                             std::to_string(size) + " " + std::to_string(size));
  std::vector<MatrixMarketPlace> places;
  MatrixMarketArrayPlaces walk(header);
  for (std::int64_t k = 0; k < header.entries; ++k, walk.advance()) places.push_back(walk.place());
  return places;
}

TEST(MatrixMarketArray, WalksDownTheColumns) {
  using Places = std::vector<MatrixMarketPlace>;
  EXPECT_EQ(array_places("general", 2), (Places{{0, 0}, {1, 0}, {0, 1}, {1, 1}}));
  EXPECT_EQ(array_places("symmetric", 2), (Places{{0, 0}, {1, 0}, {1, 1}}));
  EXPECT_EQ(array_places("hermitian", 2), (Places{{0, 0}, {1, 0}, {1, 1}}));
  EXPECT_EQ(array_places("skew-symmetric", 3), (Places{{1, 0}, {2, 0}, {2, 1}}));
}

MatrixMarketHeader coordinate_header(const char* field, const char* symmetry) {
  return parsed(std::string("%%MatrixMarket matrix coordinate ") + field + " " + symmetry, "9 9 3");
}

TEST(MatrixMarketEntry, ReadsPlacesAndValues) {
  const auto header = coordinate_header("complex", "general");
  std::string_view line = " 3 9  1.5 -2e-3 ";
  const MatrixMarketPlace place = take_place(header, line);
  EXPECT_EQ(place, (MatrixMarketPlace{2, 8}));
  EXPECT_EQ(parse_value<std::complex<double>>(header, place, line),
            std::complex<double>(1.5, -2e-3));
  EXPECT_EQ(parse_value<double>(coordinate_header("real", "general"), place, "+7.25"), 7.25);
  EXPECT_EQ(parse_value<float>(coordinate_header("pattern", "general"), place, ""), 1.0f);
  EXPECT_EQ(parse_value<double>(coordinate_header("integer", "general"), place, "-12"), -12.0);
  EXPECT_EQ(parse_value<double>(coordinate_header("real", "general"), place, "1e-400"), 0.0);
}

struct RefusedEntry {
  const char* field;
  const char* symmetry;
  const char* line;
  const char* reason;
};

TEST(MatrixMarketEntry, SaysWhy) {
  const RefusedEntry cases[] = {
      {"real", "general", "0 1 5", "outside"},
      {"real", "general", "1 10 5", "outside"},
      {"real", "general", "-1 1 5", "outside"},
      {"real", "general", "1.5 1 5", "not an integer"},
      {"real", "general", "99999999999999999999 1 5", "63 bits"},
      {"real", "general", "1", "missing"},
      {"real", "general", "1 1", "missing"},
      {"real", "general", "1 1 abc", "not a number"},
      {"real", "general", "1 1 1.5x", "not a number"},
      {"real", "general", "1 1 nanny", "not a number"},
      {"real", "general", "1 1 +-1.5", "not a number"},
      {"integer", "general", "1 1 +-1", "not an integer"},
      {"real", "general", "1 1 1e999", "too large"},
      {"real", "general", "1 1 5 6", "unexpected word"},
      {"complex", "general", "1 1 5", "missing"},
      {"integer", "general", "1 1 5.5", "not an integer"},
      {"integer", "general", "1 1 9007199254740993", "no exact value"},
      {"pattern", "general", "1 1 1", "unexpected word"},
      {"real", "skew-symmetric", "2 2 1", "diagonal"},
      {"complex", "hermitian", "2 2 1 1", "not real"},
  };
  for (const RefusedEntry& refused : cases) {
    const auto header = coordinate_header(refused.field, refused.symmetry);
    const std::string message = refusal([&] {
      std::string_view line = refused.line;
      const MatrixMarketPlace place = take_place(header, line);
      parse_value<std::complex<double>>(header, place, line);
    });
    EXPECT_NE(message.find(refused.reason), std::string::npos)
        << refused.field << " " << refused.symmetry << " \"" << refused.line
        << "\"\n  gives: " << message;
  }
}

TEST(MatrixMarketEntry, MirrorsBySymmetry) {
  const std::complex<double> value(1, 2);
  EXPECT_EQ(mirrored(Symmetry::symmetric, value), value);
  EXPECT_EQ(mirrored(Symmetry::hermitian, value), std::conj(value));
  EXPECT_EQ(mirrored(Symmetry::skew_symmetric, value), -value);
}

template <class T>
void expect_round_trip(T value, const char* field) {
  std::string line(matrix_market_line_bytes<T>() + 1, '#');
  format_matrix_market_value(value, line.data());
  EXPECT_EQ(line.back(), '#') << "wrote past its line";
  line.pop_back();
  ASSERT_EQ(line.back(), '\n') << line;
  line.pop_back();
  EXPECT_EQ(line.find('#'), std::string::npos) << line;
  EXPECT_EQ(parse_value<T>(coordinate_header(field, "general"), {}, line), value) << line;
}

TEST(MatrixMarketEntry, LinesHaveOneLengthAndReadBackExactly) {
  using Double = std::numeric_limits<double>;
  using Float = std::numeric_limits<float>;
  for (const double value :
       {0.0, -1.0, 1.0 / 3, -Double::max(), -Double::min(), -Double::infinity(),
        -Double::denorm_min(), -1.2345678901234567e-300}) {
    expect_round_trip(value, "real");
    expect_round_trip(std::complex<double>(value, -value), "complex");
  }
  for (const float value : {0.0f, -1.0f, 1.0f / 3, -Float::max(), -Float::min(), -Float::infinity(),
                            -Float::denorm_min(), -1.2345678e-30f}) {
    expect_round_trip(value, "real");
    expect_round_trip(std::complex<float>(-value, value), "complex");
  }
  std::mt19937_64 generator(7);
  for (int round = 0; round < 20000; ++round) {
    const double value = std::ldexp(static_cast<double>(generator()) - 0x1p63,
                                    static_cast<int>(generator() % 1900) - 1000);
    if (std::isfinite(value)) expect_round_trip(value, "real");
  }
}

TEST(MatrixMarketHeader, WhatIsWrittenReadsBack) {
  const std::string text = format_matrix_market_header(ElementType::complex64, 3, 5);
  const std::size_t end = text.find('\n');
  MatrixMarketHeaderParser parser;
  EXPECT_FALSE(parser.take(text.substr(0, end)));
  EXPECT_TRUE(parser.take(text.substr(end + 1, text.size() - end - 2)));
  EXPECT_EQ(parser.header(),
            (MatrixMarketHeader{Format::array, Field::complex, Symmetry::general, 3, 5, 15}));
}

double value_in(Field field, const char* text) {
  return parse_value<double>({Format::array, field, Symmetry::general, 1, 1, 1}, {}, text);
}

TEST(MatrixMarketValue, OfFortranHasALetterOfItsOwn) {
  EXPECT_EQ(value_in(Field::real, "1.0D+03"), 1000);
  EXPECT_EQ(value_in(Field::real, "-2.5d-1"), -0.25);
  EXPECT_EQ(value_in(Field::real, "+7D0"), 7);
  for (const char* text : {"D5", "1D", "1D+", "1DD3", "1D3D3", "1e3D3", "1D 3"})
    EXPECT_NE(refusal([&] { value_in(Field::real, text); }), "") << text;
}

TEST(MatrixMarketValue, OfIntegersIsExact) {
  EXPECT_EQ(value_in(Field::unsigned_integer, "18446744073709549568"), 18446744073709549568.0);
  EXPECT_EQ(value_in(Field::integer, "-9223372036854775808"), -9223372036854775808.0);
  EXPECT_NE(refusal([] {
              value_in(Field::unsigned_integer, "18446744073709551615");
            }).find("no exact value"),
            std::string::npos);
  EXPECT_NE(refusal([] { value_in(Field::unsigned_integer, "-1"); }).find("unsigned integer"),
            std::string::npos);
  EXPECT_NE(refusal([] { value_in(Field::integer, "9007199254740993"); }).find("no exact value"),
            std::string::npos);
}

}  // namespace matrix_market_test
}  // namespace cuboid::detail
